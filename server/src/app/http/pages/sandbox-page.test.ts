import { hash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { administratorOf, dataOf, makeChannel, makePayment } from '../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../tests/support/service/florin.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let channelId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, { APP_PUBLIC_URL: 'https://pay.example.com/florin' });
  admin = await administratorOf(florin);
  channelId = await makeChannel(florin, admin, {
    provider: 'sandbox',
    webhookSecret: 'whsec',
    currency: 'USD,JPY,KWD',
  });
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const detail = async (id: string) => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, admin));

/** Creates a payment that waits for its payer, and returns the path of the page where the payer decides. */
async function waiting(changes: Record<string, unknown> = {}): Promise<{ id: string; path: string }> {
  const id = await makePayment(florin, admin, channelId, { metadata: { sandbox: 'payer' }, ...changes });
  const { nextAction } = await eventually('the payer is asked', async () => {
    const payment = await detail(id);
    return payment.nextAction !== null && payment;
  });
  expect(nextAction).toEqual({ type: 'redirect', url: `https://pay.example.com/florin/sandbox/pay/${id}-1` });
  return { id, path: `/sandbox/pay/${id}-1` };
}

async function open(path: string) {
  const response = await fetch(florin.address + path);
  return { status: response.status, headers: response.headers, html: await response.text() };
}

async function press(path: string, form: string, type = 'application/x-www-form-urlencoded') {
  const init = { method: 'POST', redirect: 'manual', body: form, headers: { 'content-type': type } } as const;
  const response = await fetch(florin.address + path, init);
  return { status: response.status, location: response.headers.get('location'), html: await response.text() };
}

const statusOf = (id: string, status: string) =>
  eventually(`${id} is ${status}`, async () => (await detail(id)).status === status);

test.each([
  ['pay', 'SUCCESS', 'is paid'],
  ['fail', 'FAILED', 'has failed'],
  ['cancel', 'CANCELLED', 'was given up'],
])('the payer presses %s: the payment becomes %s, and the page says so', async (decision, status, words) => {
  const { id, path } = await waiting({ returnUrl: 'https://shop.example.com/thanks?order=7' });
  const before = await open(path);
  expect(before.status).toBe(200);
  expect(before.html).toContain('19.99 USD');
  expect(before.html).toContain(`value="${decision}"`);
  expect(before.html).not.toContain('shop.example.com');

  const pressed = await press(path, `decision=${decision}`);
  expect(pressed.status).toBe(303);
  const back = new URL(pressed.location as string, florin.address + path);
  expect(back.pathname).toBe(path);
  const after = await open(back.pathname + back.search);
  expect(after.html).toContain(words);
  const [, onwards] = /href="(https:\/\/pay\.example\.com\/florin\/r\/[\w-]+)"/.exec(after.html) ?? [];
  expect(after.html).toContain(`content="2; url=${onwards}"`);
  expect(after.html).not.toContain('<button');
  await statusOf(id, status);
});

test('only the first choice counts', async () => {
  const { id, path } = await waiting();
  await press(path, 'decision=cancel');
  expect((await press(path, 'decision=pay')).status).toBe(303);
  expect((await open(path)).html).toContain('was given up');
  await statusOf(id, 'CANCELLED');
});

test('amounts are formatted for their currency', async () => {
  const { path: yen } = await waiting({ amount: 500, currency: 'JPY' });
  const { path: dinar } = await waiting({ amount: 1234, currency: 'KWD' });
  expect((await open(yen)).html).toContain('Pay 500 JPY');
  expect((await open(dinar)).html).toContain('Pay 1.234 KWD');
});

test('the page has no script, cannot be framed, and posts only to itself', async () => {
  const { path } = await waiting();
  const { headers, html } = await open(path);
  const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? '';
  expect(headers.get('content-security-policy')).toBe(
    `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action 'self'; ` +
      "frame-ancestors 'none'",
  );
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(html).not.toContain('<script');
  expect([...html.matchAll(/<form[^>]*>/g)].map(([form]) => form)).toEqual(['<form method="post">']);
});

test('only payments that wait for their payer have a page', async () => {
  const paid = await makePayment(florin, admin, channelId);
  await statusOf(paid, 'SUCCESS');
  const keys = [`${paid}-1`, 'txn_1-1', '%3Cscript%3E', '%00', '..%2f..', 'ü'];
  for (const path of keys.map((key) => `/sandbox/pay/${key}`)) {
    const { status, headers, html } = await open(path);
    expect({ path, status, type: headers.get('content-type') }).toEqual({
      path,
      status: 404,
      type: 'text/html; charset=utf-8',
    });
    expect(html).not.toContain('<script>');
    expect((await press(path, 'decision=pay')).status).toBe(404);
  }
});

test('an invalid choice decides nothing', async () => {
  const { id, path } = await waiting();
  for (const form of ['', 'decision=', 'decision=steal', 'decision=pay%00', '{"decision":"pay"}', '\0\u00ff&&&===']) {
    for (const type of ['application/x-www-form-urlencoded', 'application/json', 'odd']) {
      expect((await press(path, form, type)).status).toBe(400);
    }
  }
  expect((await press(path, `decision=${'x'.repeat(70_000)}`)).status).toBe(413);
  expect((await detail(id)).status).toBe('PROCESSING');
});
