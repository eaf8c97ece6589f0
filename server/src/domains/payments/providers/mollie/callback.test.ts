import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MollieSimulator, type SimulatedCallback } from '../../../../../tests/support/simulators/mollie.ts';
import { Refusal } from '../../../../core/errors.ts';
import type { Outcome } from '../outcome.ts';
import type { Callback, ChargeOperation } from '../provider.ts';
import { callWith, chargeOperation, credentials, refundOperation, setupOperation } from './fixture/operations.ts';
import { MollieProvider } from './mollie.ts';
import { webhookUrlOf } from './webhook-url.ts';

let simulator: MollieSimulator;
let mollie: MollieProvider;

beforeAll(async () => {
  simulator = await MollieSimulator.start();
  mollie = new MollieProvider(simulator.url);
});
afterAll(() => simulator.close());

const secret = credentials.webhookSecret as string;

async function charged(): Promise<{ operation: ChargeOperation; reference: string }> {
  const operation = chargeOperation();
  const outcome = (await mollie.charge(operation, callWith())) as Extract<Outcome, { kind: 'needs_payer' }>;
  return { operation, reference: outcome.reference };
}

function received({ url, headers, body }: SimulatedCallback, facts: Partial<Callback> = {}): Callback {
  const query = url === '' ? {} : Object.fromEntries(new URL(url).searchParams);
  return { headers, query, body: Buffer.from(body), receivedMs: 1_000, ...facts };
}

const lastCallback = () => simulator.callbacks.at(-1) as SimulatedCallback;
const read = (callback: Callback, webhookSecret: string | null = secret) =>
  mollie.readCallback(callback, { ...credentials, webhookSecret });

function expectRefused(callback: Callback, webhookSecret: string | null = secret): void {
  const reading = () => read(callback, webhookSecret);
  expect(reading).toThrow(Refusal);
  expect(reading).toThrow(expect.objectContaining({ type: 'callback_invalid' }));
}

test('an unsigned callback has the key of the charge and the id of the payment, and no outcome', async () => {
  const { operation, reference } = await charged();
  simulator.pay(reference);
  const callback = read(received(lastCallback()));
  const notice = { key: operation.key, reference };
  expect(callback).toEqual({ eventId: `${reference}@1000`, notice, chargeNotice: { reference } });
});

test.each(['unsigned', 'signed'])('an %s callback about the first payment of a setup names the setup', async (kind) => {
  const operation = setupOperation({ type: 'card' });
  const { reference } = (await mollie.methods.setUp(operation, callWith())) as { reference: string };
  simulator.pay(reference);
  const isSigned = kind === 'signed';
  const callback = isSigned ? simulator.signedCallback(reference, secret) : lastCallback();
  const methodNotice = { key: operation.key, reference, of: 'SETUP', ...(isSigned && { livemode: false }) };
  expect(read(received(callback))).toEqual({ eventId: expect.any(String), methodNotice });
});

test('a change of a refund leads to a callback about its payment', async () => {
  const { operation, reference } = await charged();
  simulator.pay(reference);
  await mollie.refund(refundOperation(reference, { amount: 100 }), callWith());
  simulator.progressRefund(simulator.payment(reference).refunds[0]?.id as string, 'refunded');
  expect(read(received(lastCallback())).notice).toEqual({ key: operation.key, reference });
});

test('two changes of a payment send the same bytes and count as two messages', async () => {
  const { reference } = await charged();
  simulator.authorize(reference);
  const first = lastCallback();
  simulator.pay(reference);
  expect(lastCallback()).toEqual(first);
  const ids = [1_000, 1_001].map((receivedMs) => read(received(first, { receivedMs })).eventId);
  expect(ids[0]).not.toBe(ids[1]);
});

test('an unsigned callback without the token of this key and channel is refused', async () => {
  const { reference } = await charged();
  simulator.pay(reference);
  const callback = received(lastCallback());
  const { key = '', token = '' } = callback.query;
  const signature = (content: string) => createHmac('sha256', secret).update(content).digest('hex');
  for (const query of [
    {},
    { token },
    { key },
    { key: `${key}1`, token },
    { key, token: token.slice(0, -1) },
    { key, token: `${token}0` },
    { key, token: '' },
    { key, token: token.toUpperCase() },
    { key, token: signature(key) },
    { key: '', token: signature('') },
  ]) {
    expectRefused({ ...callback, query: query as Record<string, string> });
  }
  expectRefused(callback, 'the-secret-of-another-channel');
  expectRefused(callback, null);
  expectRefused(callback, '');
});

test.each(['', 'id=', 'id=tr_', 'id=ord_123', 'id=tr_../../v2/methods', 'id=tr_1%00', '{"id":"tr_1"}', 'id=tr_é'])(
  'an unsigned callback with the body %j is refused',
  async (body) => {
    const { reference } = await charged();
    simulator.pay(reference);
    expectRefused(received(lastCallback(), { body: Buffer.from(body) }));
  },
);

test.each(['event', 'entity'] as const)('a signed %s has the id of the payment or refund and our key', async (form) => {
  const { operation, reference } = await charged();
  simulator.pay(reference);
  const refund = refundOperation(reference, { amount: 100 });
  await mollie.refund(refund, callWith());
  const refundId = simulator.payment(reference).refunds[0]?.id as string;

  const callback = read(received(simulator.signedCallback(reference, secret, form)));
  expect(callback.notice).toEqual({ key: operation.key, reference, livemode: false });
  const refundCallback = read(received(simulator.signedCallback(refundId, secret, form)));
  expect(refundCallback.notice).toEqual({ key: refund.key, reference: refundId, livemode: false });
  simulator.progressRefund(refundId, 'refunded');
  const laterCallback = read(received(simulator.signedCallback(refundId, secret, form)));
  expect(laterCallback.eventId).not.toBe(refundCallback.eventId);
  expect(read(received(simulator.signedCallback(refundId, secret, form))).eventId).toBe(laterCallback.eventId);
});

test('a signed event without the entity still has its id; an event about something else is ignored', () => {
  const simple = { resource: 'event', id: 'event_1', type: 'payment.paid', entityId: 'tr_abc' };
  expect(read(signed(JSON.stringify(simple)))).toEqual({ eventId: 'event_1', notice: { reference: 'tr_abc' } });
  const other = { ...simple, type: 'sales-invoice.paid', entityId: 'invoice_1', _embedded: null };
  expect(read(signed(JSON.stringify(other)))).toEqual({ eventId: 'event_1' });
  expect(read(signed('{"resource":"hook","id":7}')).notice).toBeUndefined();
});

test.each(['event', 'bare', 'entity'] as const)(
  'a signed %s of a chargeback names it and its payment',
  async (form) => {
    const { reference } = await charged();
    simulator.pay(reference);
    const { id } = simulator.chargeBack(reference);
    const told = read(received(simulator.signedCallback(id, secret, form)));
    const disputeNotice = { reference: id, chargeReference: reference };
    expect(told).toEqual({ eventId: expect.any(String), disputeNotice });
    simulator.reverseChargeback(id);
    const reversed = read(received(simulator.signedCallback(id, secret, form)));
    expect(reversed).toEqual({ eventId: expect.any(String), disputeNotice });
    expect(reversed.eventId).not.toBe(told.eventId);
  },
);

test.each(['event', 'entity'] as const)('a signed %s of a refund without our key says so', async (form) => {
  const { reference } = await charged();
  simulator.pay(reference);
  const { id } = simulator.refundInDashboard(reference, '5.00');
  const refundNotice = { reference: id, chargeReference: reference, livemode: false };
  const eventId = expect.any(String);
  expect(read(received(simulator.signedCallback(id, secret, form)))).toEqual({ eventId, refundNotice });
});

test('a signed event of a refund without the refund may be of any', async () => {
  const { reference } = await charged();
  simulator.pay(reference);
  const { id } = simulator.refundInDashboard(reference, '5.00');
  const told = read(received(simulator.signedCallback(id, secret, 'bare')));
  expect(told).toEqual({
    eventId: expect.any(String),
    notice: { reference: id },
    chargeNotice: { reference },
  });
});

test('a change of money that Florin did not move leads to an unsigned callback about its payment', async () => {
  const { reference } = await charged();
  simulator.pay(reference);
  const steps = [
    () => simulator.chargeBack(reference).id,
    (id: string) => simulator.reverseChargeback(id),
    () => simulator.refundInDashboard(reference, '5.00'),
  ];
  let id = '';
  for (const step of steps) {
    const before = simulator.callbacks.length;
    const made = step(id);
    id = typeof made === 'string' ? made : id;
    expect(simulator.callbacks).toHaveLength(before + 1);
    expect(read(received(lastCallback())).chargeNotice).toEqual({ reference });
  }
});

test('while the secret is changed at Mollie, either of the two signatures is enough', () => {
  const callback = signed('{"id":"tr_1"}');
  const header = callback.headers['x-mollie-signature'] as string;
  const both = (value: string) => ({ ...callback, headers: { 'x-mollie-signature': value } });
  expect(read(both(`sha256=${'0'.repeat(64)}, ${header}`)).notice).toEqual({ reference: 'tr_1' });
  expect(read(both(header.replace('sha256=', ''))).notice).toEqual({ reference: 'tr_1' });
});

test('a signed callback that was modified or signed with another secret is refused', () => {
  const good = signed('{"id":"tr_1"}');
  expectRefused({ ...good, body: Buffer.from('{"id":"tr_2"}') });
  expectRefused({ ...good, body: Buffer.from('{"id":"tr_1"} ') });
  expectRefused(signed('{"id":"tr_1"}', 'another-secret'));
  for (const header of ['', 'sha256=', 'sha1=abc', '0'.repeat(64), ',']) {
    expectRefused({ ...good, headers: { 'x-mollie-signature': header } });
  }
  for (const body of ['', 'id=tr_1', '"tr_1"', 'null', '{']) expectRefused(signed(body));
});

test('a signature is verified even if the address has a valid token', async () => {
  const { reference } = await charged();
  simulator.pay(reference);
  const callback = received(lastCallback());
  expectRefused({ ...callback, headers: { 'x-mollie-signature': 'sha256=00' } });
});

function signed(body: string, by = secret): Callback {
  const signature = `sha256=${createHmac('sha256', by).update(body).digest('hex')}`;
  return { headers: { 'x-mollie-signature': signature }, query: {}, body: Buffer.from(body), receivedMs: 1_000 };
}

test('a payment has no webhook address if Mollie would refuse it or requests could not be authenticated', () => {
  const real = 'https://api.mollie.com';
  const address = (url: string, root = real) => webhookUrlOf(url, 'txn_1-1', 'a-secret', root);
  for (const url of [
    'http://127.0.0.1:8080/api/callback/7',
    'http://localhost:8080/api/callback/7',
    'http://[::1]/api/callback/7',
    'http://[::ffff:10.0.0.1]/api/callback/7',
    'http://192.168.1.2/api/callback/7',
    'http://florin/api/callback/7',
    'http://florin.internal/api/callback/7',
    'nowhere',
  ]) {
    expect(address(url)).toBeUndefined();
  }
  expect(address('http://127.0.0.1:8080/api/callback/7', 'http://127.0.0.1:12112')).toMatch(/^http:\/\/127/);
  expect(address('https://pay.example.com/api/callback/7')).toMatch(
    /^https:\/\/pay\.example\.com\/api\/callback\/7\?key=txn_1-1&token=[0-9a-f]{64}$/,
  );
  expect(webhookUrlOf('https://pay.example.com/', 'txn_1-1', null, real)).toBeUndefined();
  expect(webhookUrlOf('https://pay.example.com/', 'txn_1-1', '', real)).toBeUndefined();
});
