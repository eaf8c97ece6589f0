import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type StripeSimulator,
  simulatedApiKey,
  startStripeSimulator,
} from '../../../../../tests/support/simulators/stripe.ts';
import type { StripeFault } from '../../../../../tests/support/simulators/stripe-faults.ts';
import { startReceiver } from '../../../../../tests/support/webhooks/receiver.ts';
import { dayMs } from '../../../../core/clock.ts';
import type { Absent, Outcome } from '../outcome.ts';
import type { Call, ChargeOperation } from '../provider.ts';
import { callWith, cancelOperation, chargeOperation, credentials, refundOperation } from './fixture/operations.ts';
import { StripeProvider } from './stripe.ts';

let simulator: StripeSimulator;
let stripe: StripeProvider;
let nowMs = Date.now();

beforeAll(async () => {
  simulator = await startStripeSimulator({ clock: () => nowMs });
  stripe = new StripeProvider(simulator.url, () => nowMs);
});
afterAll(() => simulator.close());

const call = callWith();
const charge = (facts: Partial<ChargeOperation> = {}) => chargeOperation({ createdMs: nowMs, ...facts });
// A partial refund, so that Stripe would not refuse a second one.
const refund = (intent: string) => refundOperation(intent, { createdMs: nowMs, amount: 500 });
const referenceOf = (outcome: Outcome | Absent) => (outcome as { reference: string }).reference;
const chargesOf = (key: string) => simulator.charges.filter(({ metadata }) => metadata.florin_key === key).length;
const refundsOf = (key: string) => simulator.refunds.filter(({ metadata }) => metadata.florin_key === key).length;
const silent: StripeFault[] = ['hangBefore', 'hangAfter', 'dripAfter'];

/** Calls while the next request has a fault. If the answer never ends, the deadline fires once the fault is applied. */
async function withFault(fault: StripeFault, act: (call: Call) => Promise<Outcome | Absent>, on = /^POST /) {
  const deadline = new AbortController();
  const hit = simulator.next(fault, on);
  const outcome = act(callWith({ signal: deadline.signal }));
  await hit;
  if (silent.includes(fault)) deadline.abort(new DOMException('The deadline is over.', 'TimeoutError'));
  return outcome;
}

const unclear: StripeFault[] = [
  ...silent,
  'dropBefore',
  'dropAfter',
  'garbageAfter',
  'status500Before',
  'status500After',
  'lockTimeout',
  { status: 502, body: '<html>Bad gateway</html>' },
  { status: 503, body: '{"error":{"type":"api_error","message":"Down"}}' },
  { status: 424, body: '{"error":{"type":"api_error","message":"A dependency failed"}}' },
  { status: 403, body: '<html>Blocked by a proxy</html>' },
  { status: 403, body: '{"error":{"message":"Blocked by a proxy"}}' },
  { status: 400, body: '{"error":"Blocked by a proxy"}' },
  { status: 404, body: '{"message":"No such route"}' },
  { status: 200, body: '{}' },
  { status: 200, body: 'null' },
  { status: 200, body: '{"object":"list","data":[]}' },
  { status: 409, body: '{"error":{"type":"idempotency_error","code":"idempotency_key_in_use","message":"In use"}}' },
];

test.each(unclear)(
  'a charge with the fault %o is unknown after one request; the look-up then finds one charge',
  async (fault) => {
    const operation = charge();
    const requests = simulator.requests.length;
    expect((await withFault(fault, (within) => stripe.charge(operation, within))).kind).toBe('unknown');
    expect(simulator.requests).toHaveLength(requests + 1);
    const seen = await stripe.lookUp(operation, call);
    expect(seen).toMatchObject({ kind: 'succeeded', reference: expect.stringMatching(/^pi_/) });
    expect(await stripe.lookUp({ ...operation, reference: referenceOf(seen) }, call)).toEqual(seen);
    expect(chargesOf(operation.key)).toBe(1);
  },
);

test.each(unclear)('a refund with the fault %o is unknown; the look-up then finds one refund', async (fault) => {
  const operation = refund(referenceOf(await stripe.charge(charge(), call)));
  expect((await withFault(fault, (within) => stripe.refund(operation, within))).kind).toBe('unknown');
  expect(await stripe.lookUp(operation, call)).toMatchObject({ kind: 'succeeded' });
  expect(refundsOf(operation.key)).toBe(1);
});

test('a redirect is an unknown outcome and is not followed', async () => {
  const elsewhere = await startReceiver(200);
  const moved = await startReceiver((_received, _request, response) =>
    response.writeHead(307, { location: `${elsewhere.url}/v1/payment_intents` }).end(),
  );
  try {
    expect((await new StripeProvider(moved.url).charge(charge(), call)).kind).toBe('unknown');
    expect(elsewhere.received).toHaveLength(0);
  } finally {
    await Promise.all([moved.close(), elsewhere.close()]);
  }
});

test('an unreachable host leaves the outcome unknown', async () => {
  const gone = await startReceiver();
  await gone.close();
  expect((await new StripeProvider(gone.url).charge(charge(), call)).kind).toBe('unknown');
});

test('a key sent twice, at once or later, makes one charge', async () => {
  const operation = charge();
  const stalled = simulator.next('stall');
  const first = stripe.charge(operation, call);
  await stalled;
  expect((await stripe.charge(operation, call)).kind).toBe('unknown');
  expect((await stripe.lookUp(operation, call)).kind).toBe('unknown');
  simulator.resume();
  const outcome = await first;
  expect(outcome.kind).toBe('succeeded');
  expect(await stripe.charge(operation, call)).toEqual(outcome);
  expect(await stripe.lookUp(operation, call)).toEqual(outcome);
  expect(chargesOf(operation.key)).toBe(1);
});

test('a rate limit comes before anything is done, and the same request can be sent again', async () => {
  const operation = charge();
  expect(await withFault('rateLimit', (within) => stripe.charge(operation, within))).toEqual({
    kind: 'rate_limited',
    failure: expect.objectContaining({ code: 'provider_unavailable', providerCode: 'rate_limit' }),
    retryAfter: '2',
  });
  expect(chargesOf(operation.key)).toBe(0);
  expect((await stripe.charge(operation, call)).kind).toBe('succeeded');
  expect(chargesOf(operation.key)).toBe(1);
  // The same answer to a look-up says nothing about a charge that may have been made before.
  const lost = charge();
  await withFault('dropAfter', (within) => stripe.charge(lost, within));
  expect((await withFault('rateLimit', (within) => stripe.lookUp(lost, within))).kind).toBe('rate_limited');
  expect((await stripe.lookUp(lost, call)).kind).toBe('succeeded');
  const back = refund(referenceOf(await stripe.lookUp(lost, call)));
  expect((await withFault('rateLimit', (within) => stripe.refund(back, within))).kind).toBe('rate_limited');
});

test('a key used before with other parameters is unknown, and the look-up finds the earlier charge', async () => {
  const operation = charge();
  await stripe.charge(operation, call);
  const changed = { ...operation, returnUrl: 'https://elsewhere.example.org' };
  expect((await stripe.charge(changed, call)).kind).toBe('unknown');
  expect(await stripe.lookUp(changed, call)).toMatchObject({ kind: 'succeeded' });
  expect(chargesOf(operation.key)).toBe(1);
});

test('a 500 that Stripe has stored for the key without a charge stays unknown and is never charged again', async () => {
  const operation = charge({ paymentMethod: null, payerFlow: 'EMBEDDED' });
  await withFault('status500After', (within) => stripe.charge(operation, within));
  simulator.account.intents.delete([...simulator.account.intents.keys()].at(-1) as string);
  expect((await stripe.lookUp(operation, call)).kind).toBe('unknown');
  expect(chargesOf(operation.key)).toBe(0);
});

test('a declined charge whose cancellation failed is unknown, until a look-up has cancelled it', async () => {
  const faults: StripeFault[] = ['dropBefore', 'dropAfter', 'status500Before', 'rateLimit', 'lockTimeout', 'hangAfter'];
  for (const fault of faults) {
    const operation = charge({ paymentMethod: 'pm_card_chargeDeclined' });
    const within = (work: Call) => stripe.charge(operation, work);
    expect((await withFault(fault, within, /^POST .*\/cancel$/)).kind).toBe('unknown');
    const seen = await stripe.lookUp(operation, call);
    expect(seen).toMatchObject({ kind: 'failed', failure: { code: 'card_declined' } });
    expect(simulator.account.intent(referenceOf(seen)).status).toBe('canceled');
  }
});

test('a declined intent that is paid before its cancellation has succeeded', async () => {
  const operation = charge({ paymentMethod: 'pm_card_chargeDeclined' });
  await withFault('dropBefore', (within) => stripe.charge(operation, within), /^POST .*\/cancel$/);
  const intent = [...simulator.account.intents.values()].at(-1);
  simulator.account.confirmIntent(intent?.id as string, { payment_method: 'pm_card_visa' });
  expect(await stripe.lookUp(operation, call)).toMatchObject({ kind: 'succeeded', reference: intent?.id });
  expect(chargesOf(operation.key)).toBe(1);
});

test('after a day, look-ups read the lists, and an operation that they lack is forgotten, never absent', async () => {
  const made = charge();
  const makings = refund(referenceOf(await stripe.charge(made, call)));
  await stripe.refund(makings, call);
  const declined = charge({ paymentMethod: 'pm_card_chargeDeclined' });
  await stripe.charge(declined, call);
  const neverMade = charge();
  const neverRefunded = refund(makings.chargeReference);
  // More than a page of other payments, made afterwards.
  for (let i = 0; i < 120; i++) simulator.account.createIntent({ amount: '100', currency: 'usd' });
  simulator.forgetKeys();
  nowMs += dayMs;
  const posts = simulator.requests.filter(({ method }) => method === 'POST').length;
  expect(await stripe.lookUp(made, call)).toMatchObject({ kind: 'succeeded' });
  expect(await stripe.lookUp(makings, call)).toMatchObject({ kind: 'succeeded' });
  expect(await stripe.lookUp(declined, call)).toMatchObject({ kind: 'failed', failure: { code: 'card_declined' } });
  expect(await stripe.lookUp(neverMade, call)).toMatchObject({ kind: 'unknown', isForgotten: true });
  expect(await stripe.lookUp(neverRefunded, call)).toMatchObject({ kind: 'unknown', isForgotten: true });
  expect(simulator.requests.filter(({ method }) => method === 'POST')).toHaveLength(posts);
  expect((await withFault('status500Before', (within) => stripe.lookUp(neverMade, within), /^GET /)).kind).toBe(
    'unknown',
  );
});

test('what Stripe has deleted, such as test data, is forgotten, so that a person is told', async () => {
  const made = charge();
  const reference = referenceOf(await stripe.charge(made, call));
  const refunded = refund(reference);
  const refundReference = referenceOf(await stripe.refund(refunded, call));
  simulator.account.intents.delete(reference);
  expect(await stripe.lookUp({ ...made, reference }, call)).toMatchObject({ kind: 'unknown', isForgotten: true });
  const gone = { ...refunded, reference: refundReference.replace(/\w{4}$/, 'gone') };
  expect(await stripe.lookUp(gone, call)).toMatchObject({ kind: 'unknown', isForgotten: true });
});

test('a charge sent days after it was recorded is repeated under its key, and found a day later', async () => {
  const operation = charge({ createdMs: nowMs - 3 * dayMs, calledMs: nowMs });
  await withFault('dropAfter', (within) => stripe.charge(operation, within));
  expect((await stripe.lookUp(operation, call)).kind).toBe('succeeded');
  simulator.forgetKeys();
  nowMs += dayMs;
  expect((await stripe.lookUp(operation, call)).kind).toBe('succeeded');
  expect(chargesOf(operation.key)).toBe(1);
});

test('a cancellation finds a charge that was made days before', async () => {
  const operation = charge({ paymentMethod: null, payerFlow: 'EMBEDDED' });
  await withFault('dropAfter', (within) => stripe.charge(operation, within));
  nowMs += 3 * dayMs;
  const cancellation = cancelOperation(operation, { createdMs: nowMs });
  expect(await stripe.cancel(cancellation, call)).toMatchObject({ kind: 'cancelled', reference: expect.any(String) });
});

test('a list that is too long to read leaves the outcome unknown', async () => {
  const page = Array.from({ length: 100 }, (_, i) => ({ id: `pi_${i}`, object: 'payment_intent', metadata: {} }));
  const endless = await startReceiver((_received, _request, response) =>
    response.end(JSON.stringify({ object: 'list', data: page, has_more: true })),
  );
  try {
    const old = charge({ createdMs: nowMs - 2 * dayMs });
    expect((await new StripeProvider(endless.url, () => nowMs).lookUp(old, call)).kind).toBe('unknown');
    expect(endless.received).toHaveLength(20);
  } finally {
    await endless.close();
  }
});

test('no outcome contains a secret', async () => {
  const secrets = [simulatedApiKey, 'canary_of_the_api_secret', 'whsec_simulated'];
  const quoting = JSON.stringify({
    error: { type: 'invalid_request_error', message: `You sent ${secrets.join()} and pi_1_secret_canary.` },
  });
  const faults: StripeFault[] = [...unclear, { status: 400, body: quoting }, { status: 500, body: quoting }];
  for (const fault of faults) {
    const outcome = await withFault(fault, (within) => stripe.charge(charge(), within));
    const shown = inspect(outcome, { depth: 20, showHidden: true }) + JSON.stringify(outcome);
    for (const secret of [...secrets, 'canary', 'Bearer']) expect(shown).not.toContain(secret);
    if (outcome.kind === 'unknown') expect(outcome.cause).toMatchObject({ code: expect.stringMatching(/^\w+$/) });
  }
  const wrong = callWith({ credentials: { ...credentials, apiKey: 'sk_live_canary' } });
  expect(inspect(await stripe.charge(charge(), wrong), { depth: 20 })).not.toContain('canary');
  expect(inspect(await stripe.lookUp(charge(), wrong), { depth: 20 })).not.toContain('canary');
});
