import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCustomer } from '../support/billing/invoices.ts';
import { brokenClaims } from '../support/broken-claims.ts';
import { administratorOf, dataOf, makeChannel, makePayment } from '../support/factories.ts';
import { channelSecret } from '../support/payments/callbacks.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../support/service/florin.ts';
import { MollieSimulator, type SimulatedCallback } from '../support/simulators/mollie.ts';
import { type StripeSimulator, simulatedApiKey, startStripeSimulator } from '../support/simulators/stripe.ts';

/** Payers whom a provider sends back to Florin, which looks their payment up and sends them on. No callback arrives. */
let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let stripe: StripeSimulator;
let mollie: MollieSimulator;
let customerId: number;
const channels: Record<string, number> = {};

const publicUrl = 'https://pay.example.com/florin';
const returnUrl = 'https://shop.example.org/thanks?order=7';

beforeAll(async () => {
  db = await databaseFromTemplate();
  stripe = await startStripeSimulator();
  mollie = await MollieSimulator.start();
  florin = await florinOn(db, {
    APP_PUBLIC_URL: publicUrl,
    APP_PROVIDER_STRIPE_URL: stripe.url,
    APP_PROVIDER_MOLLIE_URL: mollie.url,
    APP_RATE_LIMIT_FAILURES_PER_ADDRESS: '20',
  });
  admin = await administratorOf(florin);
  for (const [provider, apiKey] of [
    ['stripe', simulatedApiKey],
    ['mollie', 'test_simulated'],
    ['sandbox', 'any'],
  ] as const) {
    const facts = { provider, livemode: false, apiKey, webhookSecret: channelSecret };
    channels[provider] = await makeChannel(florin, admin, { ...facts, currency: 'EUR,USD' });
  }
  customerId = await makeCustomer(florin, admin, { livemode: false, email: 'ada@example.org' });
});

afterAll(async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
  await florin.stop();
  await mollie.close();
  await stripe.close();
  await db.drop();
});

const payment = async (id: string) => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, admin));
const method = async (id: string) => dataOf(await florin.get(`/api/payment-method/detail?id=${id}`, admin));
const pay = (provider: string, changes = {}) =>
  makePayment(florin, admin, channels[provider] as number, { currency: 'EUR', returnUrl, ...changes });
const setUp = async (provider: string, changes = {}): Promise<string> => {
  const input = { customerId, channelId: channels[provider], returnUrl, type: 'card', ...changes };
  return dataOf(await florin.post('/api/payment-method/setup', input, admin)).id;
};
/** The page to which the payer is sent, once the provider's answer is recorded: no payer is back before. */
async function pageOf(read: () => Promise<{ nextAction: { url: string } | null }>): Promise<string> {
  const url = await eventually('the payer is sent to a page', async () => (await read()).nextAction?.url ?? false);
  await eventually('the answer is recorded', async () => {
    const calling = await db.query(`select from provider_operation where state in ('READY', 'CALLING')`);
    return calling.length === 0;
  });
  return url;
}

/** Submits a form of the provider. Resolves to where the payer is sent. */
async function submit(url: string, fields: Record<string, string>): Promise<string> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
  return response.headers.get('location') ?? '';
}

/** Opens an address below the public one, as the browser of the payer does through the proxy. */
async function open(address: string, headers: Record<string, string> = {}) {
  expect(address).toMatch(`${publicUrl}/`);
  const response = await fetch(florin.address + address.slice(publicUrl.length), { redirect: 'manual', headers });
  return { status: response.status, location: response.headers.get('location'), html: await response.text() };
}

const back = { status: 303, location: returnUrl };

describe('a payer who has finished', () => {
  test('at Stripe is sent on to the shop, and the payment has succeeded by then', async () => {
    const id = await pay('stripe');
    const address = await submit(await pageOf(() => payment(id)), { method: 'pm_card_visa' });
    expect(address).toMatch(/^https:\/\/pay\.example\.com\/florin\/r\/[\w-]{66}$/);
    expect(await open(address)).toMatchObject(back);
    expect(await payment(id)).toMatchObject({ status: 'SUCCESS' });
  });

  test("at their bank, after Stripe's own form, too", async () => {
    const id = await pay('stripe', { paymentMethod: 'pm_card_threeDSecure2Required' });
    const bank = await pageOf(() => payment(id));
    const address = (await fetch(bank, { redirect: 'manual' })).headers.get('location') as string;
    expect(await open(address)).toMatchObject(back);
    expect(await payment(id)).toMatchObject({ status: 'SUCCESS' });
  });

  test.each([
    ['pay', 'SUCCESS'],
    ['fail', 'FAILED'],
    ['cancel', 'CANCELLED'],
  ])('at Mollie by "%s" is sent on, and the payment is %s by then', async (choice, status) => {
    const id = await pay('mollie');
    const address = await submit(await pageOf(() => payment(id)), { choice });
    expect(await open(address)).toMatchObject(back);
    expect(await payment(id)).toMatchObject({ status });
  });

  test("at the sandbox's page is sent on, and the payment has succeeded by then", async () => {
    const id = await pay('sandbox', { metadata: { sandbox: 'payer' } });
    const page = await pageOf(() => payment(id));
    await submit(florin.address + page.slice(publicUrl.length), { decision: 'pay' });
    const [, address = ''] = /href="([^"]+)"/.exec((await open(page)).html) ?? [];
    expect(await open(address)).toMatchObject(back);
    expect(await payment(id)).toMatchObject({ status: 'SUCCESS' });
  });

  test.each([
    ['stripe', { method: 'pm_card_visa' }],
    ['mollie', { choice: 'pay' }],
  ])('with setting a method up at %s is sent on, and it can be charged by then', async (provider, form) => {
    const id = await setUp(provider);
    const address = await submit(await pageOf(() => method(id)), form as Record<string, string>);
    expect(await open(address)).toMatchObject(back);
    expect(await method(id)).toMatchObject({ status: 'ACTIVE', type: 'card' });
  });

  test("with setting a method up at the sandbox's page, too", async () => {
    const id = await setUp('sandbox');
    const page = await pageOf(() => method(id));
    await submit(florin.address + page.slice(publicUrl.length), { decision: 'pay' });
    const [, address = ''] = /href="([^"]+)"/.exec((await open(page)).html) ?? [];
    expect(await open(address)).toMatchObject(back);
    expect(await method(id)).toMatchObject({ status: 'ACTIVE' });
  });
});

test('the second step of a provider is taken once, also if the callback came first', async () => {
  const lines = [{ description: 'Violin', quantity: 1, unitAmount: 1999 }];
  const billingAddress = {
    name: 'Ada Lovelace',
    email: 'ada@example.org',
    line1: 'Keizersgracht 126',
    postalCode: '1015 CW',
    city: 'Amsterdam',
    country: 'NL',
  };
  const id = await pay('mollie', { amount: 1999, paymentMethod: 'riverty', lines, billingAddress });
  await pageOf(() => payment(id));
  const { providerReference: reference } = await payment(id);
  const { redirectUrl } = mollie.payment(reference);
  mollie.authorize(reference);
  const { url, headers, body } = mollie.callbacks.at(-1) as SimulatedCallback;
  const { pathname, search } = new URL(url);
  await florin.call('POST', pathname.replace('/florin', '') + search, { headers, body });
  await Promise.all([open(redirectUrl as string), open(redirectUrl as string)]);
  await eventually('it is captured', () => mollie.payment(reference).captures.length > 0);
  expect(await open(redirectUrl as string)).toMatchObject(back);
  expect(mollie.payment(reference).captures).toHaveLength(1);
  mollie.capture(reference);
  await florin.call('POST', pathname.replace('/florin', '') + search, { headers, body });
  await eventually('it is paid', async () => (await payment(id)).status === 'SUCCESS');
});

test('a payer who gives up for now is sent on, and can still pay', async () => {
  const id = await pay('stripe');
  const page = await pageOf(() => payment(id));
  const [, address = ''] = /href="([^"]+)"/.exec(await (await fetch(page)).text()) ?? [];
  expect(await open(address)).toMatchObject(back);
  expect(await payment(id)).toMatchObject({ status: 'PROCESSING', nextAction: { url: page } });
  expect(await open(await submit(page, { method: 'pm_card_visa' }))).toMatchObject(back);
});

test('a payer who reloads the address causes a single look-up', async () => {
  const id = await pay('mollie');
  await pageOf(() => payment(id));
  const { redirectUrl, id: reference } = mollie.payment((await payment(id)).providerReference);
  const lookUps = () => mollie.requests.filter(({ path }) => path === `/v2/payments/${reference}`).length;
  const before = lookUps();
  for (let times = 0; times < 5; times++) expect(await open(redirectUrl as string)).toMatchObject(back);
  expect(lookUps()).toBe(before + 1);
});

test('a payer is sent on although the provider does not answer', async () => {
  const id = await pay('mollie');
  await pageOf(() => payment(id));
  const { redirectUrl, id: reference } = mollie.payment((await payment(id)).providerReference);
  mollie.pay(reference);
  const failed = mollie.fault({ method: 'GET', path: new RegExp(reference), when: 'before', how: 500 });
  expect(await open(redirectUrl as string)).toMatchObject(back);
  await failed;
});

test.each([
  'https://shop.example.com/"><script>alert(1)</script>',
  "https://shop.example.com/'onload='alert(1)",
  'https://shop.example.com/?a=1;url=javascript:alert(1)&b=<b>',
])('a returnUrl that holds markup stays an address: %s', async (given) => {
  const id = await pay('mollie', { returnUrl: given });
  const address = await submit(await pageOf(() => payment(id)), { choice: 'pay' });
  expect(await open(address)).toEqual({ status: 303, location: new URL(given).href, html: '' });
});

describe('without a returnUrl', () => {
  test.each([
    ['en', 'Payment received'],
    ['de', 'Zahlung eingegangen'],
  ])('a page in the language of the payer (%s) says what became of the payment', async (language, title) => {
    const id = await pay('mollie', { returnUrl: undefined });
    const address = await submit(await pageOf(() => payment(id)), { choice: 'pay' });
    const { status, html } = await open(address, { 'accept-language': language });
    expect([status, /<h1>([^<]*)/.exec(html)?.[1]]).toEqual([200, title]);
    expect(html).not.toMatch(/<script|href=/);
  });
});

describe('an address', () => {
  let address: string;
  beforeAll(async () => {
    const id = await pay('mollie');
    await pageOf(() => payment(id));
    address = mollie.payment((await payment(id)).providerReference).redirectUrl as string;
  });

  test('sends nobody elsewhere, whatever is appended to it', async () => {
    const elsewhere = encodeURIComponent('https://evil.example.org/');
    for (const end of [
      `?returnUrl=${elsewhere}`,
      `?redirect_status=succeeded&return_url=${elsewhere}`,
      '?payment_intent=pi_1&payment_intent_client_secret=secret',
      '#//evil.example.org',
    ]) {
      expect(await open(address + end)).toMatchObject(back);
    }
  });

  test('that is forged, cut or unknown leads nowhere, says what to do, and is limited', async () => {
    const token = address.split('/').at(-1) as string;
    const changed = (at: number) => token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
    const forged = [changed(3), changed(30), changed(50), token.slice(1), `${token}A`, 'x', '%00', '..%2fdocs', 'ü'];
    for (const each of forged) {
      const { status, location, html } = await open(`${publicUrl}/r/${each}`);
      expect([each, status, location]).toEqual([each, 404, null]);
      expect(html).toContain('Go back to the shop');
    }
    for (let tries = forged.length; tries < 20; tries++) await open(`${publicUrl}/r/x`);
    expect((await open(`${publicUrl}/r/x`)).status).toBe(429);
    expect(await open(address)).toMatchObject(back);
  });
});
