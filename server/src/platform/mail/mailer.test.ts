import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bodiesOf, type ReceivedMail, startSmtpServer } from '../../../tests/support/mail/smtp-server.ts';
import { mailerOf } from './mailer.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'florin-mail-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const from = 'Florin <payments@pay.example>';
const link = `https://pay.example/reset-password?token=${'aB3_-'.repeat(9)}`;
const mail = { to: 'ann@shop.example', subject: 'Reset your password', text: `Hello Ann,\n\n${link}\n\nOnce only.` };

test('without a mail server a message becomes a file that only its owner can read', async () => {
  const kept: string[] = [];
  const mailer = mailerOf({ clock: Date.now, from, dataDir, log: ({ path }) => kept.push(path) });
  await mailer.send(mail);
  await mailer.send(mail);
  const folder = join(dataDir, 'mail');
  expect((await readdir(folder)).map((name) => join(folder, name)).sort()).toEqual(kept.sort());
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  const [path] = kept as [string];
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const text = await readFile(path, 'utf8');
  expect(text).toContain('To: ann@shop.example\n');
  expect(text).toContain(link);
});

test('a stored message is removed when it is no longer valid, and others stay', async () => {
  let nowMs = Date.now();
  const mailer = mailerOf({ clock: () => nowMs, from, dataDir, log: () => {} });
  await mailer.removeExpired(nowMs);
  await mailer.send(mail);
  await mailer.send({ ...mail, validUntilMs: nowMs + 1_000 });
  const count = async () => (await readdir(join(dataDir, 'mail'))).length;
  await mailer.removeExpired(nowMs + 999);
  expect(await count()).toBe(2);
  await mailer.removeExpired(nowMs + 1_000);
  expect(await count()).toBe(1);
  await mailer.send({ ...mail, validUntilMs: nowMs + 1_000 });
  nowMs += 1_000;
  await mailer.send(mail);
  expect(await count(), 'the next message removes it too').toBe(2);
});

test('no header can be injected through an address or a subject', async () => {
  const kept: string[] = [];
  const mailer = mailerOf({ clock: Date.now, from, dataDir, log: ({ path }) => kept.push(path) });
  await mailer.send({ ...mail, to: 'ann@shop.example\r\nBcc: eve@evil.example' });
  const [head] = (await readFile(kept[0] as string, 'utf8')).split('\n\n');
  expect(head).not.toMatch(/^Bcc:/m);
});

test('with a mail server the message arrives there, with its link intact', async () => {
  const server = await startSmtpServer();
  const { received } = server;
  try {
    await mailerOf({ clock: Date.now, url: server.url, from, dataDir, log: () => {} }).send(mail);
    expect(received).toHaveLength(1);
    const [{ envelope, text }] = received as [ReceivedMail];
    expect(envelope.mailFrom).toMatchObject({ address: 'payments@pay.example' });
    expect(envelope.rcptTo.map(({ address }) => address)).toEqual(['ann@shop.example']);
    expect(text).toContain('Subject: Reset your password');
    expect(bodiesOf({ envelope, text })['text/plain']).toContain(link);
    expect(await readdir(dataDir)).toEqual([]);
  } finally {
    await server.close();
  }
});

test('the caller gets an error if the server refuses the message or is not there', async () => {
  const server = await startSmtpServer({ refuses: () => true });
  const mailer = mailerOf({ clock: Date.now, url: server.url, from, dataDir, log: () => {} });
  await expect(mailer.send(mail)).rejects.toThrow();
  await server.close();
  await expect(mailer.send(mail)).rejects.toThrow();
});
