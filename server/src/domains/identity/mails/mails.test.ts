import { afterAll, beforeAll, expect, test } from 'vitest';
import { administratorOf, dataOf, unique } from '../../../../tests/support/factories.ts';
import { bodiesOf, startSmtpServer, type TestSmtpServer } from '../../../../tests/support/mail/smtp-server.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../tests/support/service/florin.ts';
import { hourMs, minuteMs } from '../../../core/clock.ts';

let db: TestDatabase;
let smtp: TestSmtpServer;
/** Two nodes of one cluster. */
let nodes: [TestFlorin, TestFlorin];
let admin: string;
let aheadMs = 0;

const refuses = (address: string) => address.startsWith('unknown-');

beforeAll(async () => {
  db = await databaseFromTemplate();
  smtp = await startSmtpServer({ refuses });
  const start = () => florinOn(db, { APP_MAIL_URL: smtp.url }, () => Date.now() + aheadMs);
  nodes = [await start(), await start()];
  admin = await administratorOf(nodes[0]);
});

afterAll(async () => {
  for (const node of nodes) await node.stop();
  await smtp.close();
  await db.drop();
});

async function invite(userName = unique('guest')) {
  const user = { userName, email: `${userName}@shop.example`, userType: 'MERCHANT_USER', state: true };
  const { id } = dataOf(await nodes[0].post('/api/user/modify', user, admin));
  return { ...user, id: id as number };
}
type Guest = Awaited<ReturnType<typeof invite>>;

const save = async (user: Guest, changes: object) =>
  dataOf(await nodes[0].post('/api/user/modify', { ...user, ...changes }, admin));

const mailsTo = (address: string) =>
  smtp.received.filter(({ envelope }) => envelope.rcptTo.some((one) => one.address === address));

const tokensTo = (address: string) =>
  mailsTo(address).map((mail) => /token=([\w-]+)/.exec(bodiesOf(mail)['text/plain'] ?? '')?.[1] as string);

/** The mails to a user: states and tries, in the order in which they were queued. */
const queuedTo = ({ id }: Guest) =>
  db.query<{ state: string; tries: number }>(
    'select state, tries from user_mail where user_id = $1 order by created_at, ended_at nulls last',
    [id],
  );

const until = (user: Guest, ...expected: string[]) =>
  eventually(`the mails to ${user.userName} are ${expected}`, async () => {
    const states = (await queuedTo(user)).map(({ state, tries }) => (tries === 0 ? state : `${state} ${tries}`));
    return states.join() === expected.join();
  });

const choose = (token: string | undefined) =>
  nodes[1].post('/api/user/reset-password', { token, newPassword: 'seven green boats' });

/** Nothing is sent while `work` runs. */
async function whileMailServerIsAway(work: () => Promise<void>): Promise<void> {
  const { port } = smtp;
  await smtp.close();
  await work();
  const { received } = smtp;
  smtp = await startSmtpServer({ port, refuses });
  smtp.received.push(...received);
  aheadMs += 4 * 24 * hourMs;
  admin = await administratorOf(nodes[0]);
}

test('two nodes send each invitation once', async () => {
  const guests = await Promise.all(Array.from({ length: 20 }, () => invite()));
  for (const guest of guests) await until(guest, 'SENT');
  for (const { email } of guests) expect(mailsTo(email)).toHaveLength(1);
});

test('a row of a mail holds no token: it is made when the mail is sent, and only its hash is stored', async () => {
  const guest = await invite();
  await until(guest, 'SENT');
  const [token = ''] = tokensTo(guest.email);
  const stored = await db.query(
    'select m::text as row from user_mail m union all select r::text from password_reset r',
  );
  expect(JSON.stringify(stored)).not.toContain(token);
  expect((await choose(token)).status).toBe(200);
});

test('invitations wait while the mail server is down; every token that was sent works', async () => {
  let guest!: Guest;
  await whileMailServerIsAway(async () => {
    guest = await invite();
    for (let tries = 1; tries <= 7; tries++) {
      await until(guest, `OPEN ${tries}`);
      if (tries < 7) aheadMs += 12 * hourMs;
    }
  });
  await until(guest, 'SENT 7');
  const [token, ...others] = tokensTo(guest.email);
  expect(others).toEqual([]);
  expect((await choose(token)).status).toBe(200);
});

test('an address that the mail server refuses is given up at once', async () => {
  const guest = await invite(unique('unknown'));
  await until(guest, 'FAILED 1');
  expect(mailsTo(guest.email)).toEqual([]);
});

test('a user who is disabled, or gets a password, before the mail is sent is not invited', async () => {
  const guests: Guest[] = [];
  await whileMailServerIsAway(async () => {
    guests.push(await invite(), await invite());
    for (const guest of guests) await until(guest, 'OPEN 1');
    await save(guests[0] as Guest, { state: false });
    await save(guests[1] as Guest, { password: 'eight blue boats' });
  });
  for (const guest of guests) await until(guest, 'CANCELLED 1');
  for (const { email } of guests) expect(mailsTo(email)).toEqual([]);
});

test('a user whose address changes before the mail is sent gets one invitation, at the new address', async () => {
  let guest!: Guest;
  const email = `${unique('moved')}@shop.example`;
  await whileMailServerIsAway(async () => {
    guest = await invite();
    await until(guest, 'OPEN 1');
    await save(guest, { email });
    await until(guest, 'CANCELLED 1', 'OPEN 1');
  });
  await until(guest, 'CANCELLED 1', 'SENT 1');
  expect([mailsTo(guest.email).length, mailsTo(email).length]).toEqual([0, 1]);
});

test('without a mail server, mails become files at once and no row stays open', async () => {
  const node = await florinOn(db, {}, () => Date.now() + aheadMs + minuteMs);
  await Promise.all(nodes.map((one) => one.stop()));
  nodes = [node, await florinOn(db, {}, () => Date.now() + aheadMs)];
  admin = await administratorOf(node);
  const guest = await invite();
  await until(guest, 'SENT');
  expect(await db.query(`select from user_mail where state = 'OPEN'`)).toEqual([]);
});
