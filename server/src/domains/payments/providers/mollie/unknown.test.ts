import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fault, MollieSimulator } from '../../../../../tests/support/simulators/mollie.ts';
import { startReceiver } from '../../../../../tests/support/webhooks/receiver.ts';
import type { Outcome } from '../outcome.ts';
import type { Call, ChargeOperation, Operation } from '../provider.ts';
import { callWith, cancelOperation, chargeOperation, credentials, refundOperation } from './fixture/operations.ts';
import { MollieProvider } from './mollie.ts';

let simulator: MollieSimulator;
let mollie: MollieProvider;
let nowMs = Date.now();

beforeAll(async () => {
  simulator = await MollieSimulator.start({ now: () => nowMs });
  mollie = new MollieProvider(simulator.url);
});
afterAll(() => simulator.close());

const call = callWith();
const operationCreated = (facts: Partial<ChargeOperation> = {}) => chargeOperation({ createdMs: nowMs, ...facts });

/**
 * Calls while the next request has a fault. If Mollie does not answer, the deadline fires once the fault is applied.
 */
async function withFault(fault: Fault, act: (call: Call) => Promise<Outcome | { kind: 'absent' }>) {
  const deadline = new AbortController();
  const hit = simulator.fault(fault);
  const outcome = act(callWith({ signal: deadline.signal }));
  await hit;
  if (fault.how === 'silence') deadline.abort(new DOMException('The deadline is over.', 'TimeoutError'));
  return outcome;
}

async function paidReference(): Promise<string> {
  const outcome = await mollie.charge(operationCreated(), call);
  const { reference } = outcome as Extract<Outcome, { kind: 'needs_payer' }>;
  simulator.pay(reference);
  return reference;
}

const unclear: Fault[] = [
  { when: 'before', how: 'silence' },
  { when: 'after', how: 'silence' },
  { when: 'before', how: 'cut' },
  { when: 'after', how: 'cut' },
  { when: 'after', how: 'garbage' },
  { when: 'before', how: 500 },
  { when: 'after', how: 500 },
  { when: 'before', how: 503, body: '<html>Down for maintenance</html>' },
  { when: 'before', how: 403, body: '<html>Blocked by a proxy</html>' },
  { when: 'before', how: 403, body: '{"title":"Blocked by a proxy"}' },
  { when: 'after', how: 408 },
  { when: 'after', how: 409 },
];

test.each(unclear)('a charge with the fault %o is unknown, and the look-up finds its result', async (fault) => {
  const operation = operationCreated();
  const before = simulator.payments.length;
  const requests = simulator.requests.length;
  expect((await withFault(fault, (faultyCall) => mollie.charge(operation, faultyCall))).kind).toBe('unknown');
  expect(simulator.requests).toHaveLength(requests + 1);

  const made = fault.when === 'after';
  expect(simulator.payments).toHaveLength(before + (made ? 1 : 0));
  expect((await mollie.lookUp(operation, call)).kind).toBe(made ? 'needs_payer' : 'absent');
  expect((await mollie.charge(operation, call)).kind).toBe('needs_payer');
  expect(simulator.payments).toHaveLength(before + 1);
});

test.each(unclear)('a refund with the fault %o is unknown, and is never made twice', async (fault) => {
  const reference = await paidReference();
  const operation = refundOperation(reference, { amount: 500 });
  expect((await withFault(fault, (faultyCall) => mollie.refund(operation, faultyCall))).kind).toBe('unknown');

  const made = fault.when === 'after';
  expect(simulator.payment(reference).refunds).toHaveLength(made ? 1 : 0);
  expect((await mollie.lookUp(operation, call)).kind).toBe(made ? 'pending' : 'absent');
  expect((await mollie.refund(operation, call)).kind).toBe('pending');
  expect(simulator.payment(reference).refunds).toHaveLength(1);
});

test('a cancellation whose answer was lost is found; one that never arrived can be sent again', async () => {
  for (const when of ['before', 'after'] as const) {
    const operation = operationCreated({ paymentMethod: 'banktransfer' });
    const { reference } = (await mollie.charge(operation, call)) as Extract<Outcome, { kind: 'needs_payer' }>;
    const cancel = cancelOperation({ ...operation, reference });
    const outcome = await withFault({ method: 'DELETE', when, how: 'cut' }, (faultyCall) =>
      mollie.cancel(cancel, faultyCall),
    );
    expect(outcome.kind).toBe('unknown');
    expect((await mollie.lookUp(cancel, call)).kind).toBe(when === 'after' ? 'cancelled' : 'absent');
    expect((await mollie.cancel(cancel, call)).kind).toBe('cancelled');
    expect(simulator.payment(reference).status).toBe('canceled');
  }
});

test.each(unclear)('a look-up with the fault %o is unknown, never absent', async (fault) => {
  const charge = operationCreated();
  // It is sent again once.
  const again = fault.how === 'cut' ? simulator.fault(fault) : Promise.resolve();
  expect((await withFault(fault, (faultyCall) => mollie.lookUp(charge, faultyCall))).kind).toBe('unknown');
  await again;
});

test.each([401, 403, 404, 410, 422])('a look-up that is refused with %i is unknown', async (status) => {
  const reference = await paidReference();
  const operations: Operation[] = [
    operationCreated(),
    operationCreated({ reference }),
    refundOperation(reference),
    refundOperation(reference, { reference: 're_1' }),
    cancelOperation(operationCreated({ reference })),
  ];
  for (const operation of operations) {
    const hit = simulator.fault({ when: 'before', how: status });
    expect((await mollie.lookUp(operation, call)).kind).toBe('unknown');
    await hit;
  }
});

test('a rate limit comes before anything is done, and the same request can be sent again', async () => {
  const reference = await paidReference();
  for (const operation of [
    operationCreated(),
    refundOperation(reference),
    cancelOperation(operationCreated({ reference })),
  ]) {
    for (const act of [begin, (one: Operation, within: Call) => mollie.lookUp(one, within)]) {
      const outcome = await withFault({ when: 'before', how: 429, retryAfter: '3' }, (within) =>
        act(operation, within),
      );
      expect(outcome).toMatchObject({
        kind: 'rate_limited',
        failure: { code: 'provider_unavailable', providerCode: 'Too Many Requests' },
        retryAfter: '3',
      });
    }
  }
  expect(simulator.payment(reference).refunds).toEqual([]);
});

test('a method that is unavailable fails a charge for a fallback channel, unless the payment exists', async () => {
  for (const when of ['before', 'after'] as const) {
    const operation = operationCreated();
    const outcome = await withFault({ method: 'POST', when, how: 503 }, (within) => mollie.charge(operation, within));
    if (when === 'after') expect(outcome.kind).toBe('needs_payer');
    else expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'provider_unavailable' } });
  }
});

test('refused credentials fail a charge definitely', async () => {
  const refused = simulator.fault({ when: 'before', how: 401 });
  expect(await mollie.charge(operationCreated(), call)).toMatchObject({ failure: { code: 'credentials_refused' } });
  await refused;
});

test('a key sent twice, at once or later, makes one payment', async () => {
  const operation = operationCreated();
  const before = simulator.payments.length;
  const outcomes = await Promise.all([mollie.charge(operation, call), mollie.charge(operation, call)]);
  expect(outcomes[1]).toEqual(outcomes[0]);
  expect(await mollie.charge(operation, call)).toEqual(outcomes[0]);
  expect(simulator.payments).toHaveLength(before + 1);
});

test('a key sent again with other parameters returns the payment that it made', async () => {
  const reference = await paidReference();
  const charge = operationCreated();
  const refund = refundOperation(reference, { amount: 500, createdMs: nowMs });
  const first = await Promise.all([mollie.charge(charge, call), mollie.refund(refund, call)]);
  const rotated = callWith({ credentials: { ...credentials, webhookSecret: 'another-secret' } });
  expect(await mollie.charge(charge, rotated)).toEqual(first[0]);
  expect(await mollie.refund({ ...refund, reason: 'Other words' }, rotated)).toEqual(first[1]);
  expect(simulator.payment(reference).refunds).toHaveLength(1);
});

test('after Mollie has forgotten the key, a look-up still finds the payment and makes none', async () => {
  const reference = await paidReference();
  const charge = operationCreated();
  const refund = refundOperation(reference, { amount: 500, createdMs: nowMs });
  await Promise.all([mollie.charge(charge, call), mollie.refund(refund, call)]);
  const before = simulator.payments.length;
  nowMs += 2 * 3_600_000;
  await mollie.charge(operationCreated(), call);
  expect((await mollie.lookUp(charge, call)).kind).toBe('needs_payer');
  expect((await mollie.lookUp(refund, call)).kind).toBe('pending');
  expect(simulator.payments).toHaveLength(before + 1);
  expect(simulator.payment(reference).refunds).toHaveLength(1);
});

test.each([
  ['a duplicate', 500, true],
  ['too much', 1999, false],
])(
  'a refund that is refused as %s because a lost call has made it is found, not failed',
  async (_, amount, detects) => {
    const reference = await paidReference();
    const operation = refundOperation(reference, { amount });
    await withFault({ when: 'after', how: 'cut' }, (faultyCall) => mollie.refund(operation, faultyCall));
    nowMs += 2 * 3_600_000;
    simulator.api.detectsDuplicateRefunds = detects;
    const outcome = await mollie.refund(operation, call);
    simulator.api.detectsDuplicateRefunds = false;
    const [refund] = simulator.payment(reference).refunds;
    expect(outcome).toEqual({ kind: 'pending', reference: refund?.id, livemode: false });
    expect(simulator.payment(reference).refunds).toHaveLength(1);
  },
);

test('the API key is not sent to the target of a redirect', async () => {
  const elsewhere = await startReceiver();
  const redirecting = await startReceiver((_, __, response) =>
    response.writeHead(307, { location: elsewhere.url }).end(),
  );
  const outcome = await new MollieProvider(redirecting.url).charge(operationCreated(), call);
  await Promise.all([redirecting.close(), elsewhere.close()]);
  expect(outcome.kind).toBe('unknown');
  expect(elsewhere.received).toEqual([]);
});

test('an unreachable host leaves the outcome unknown', async () => {
  const gone = await MollieSimulator.start();
  await gone.close();
  const outcome = await new MollieProvider(gone.url).charge(operationCreated(), call);
  expect(outcome).toMatchObject({ kind: 'unknown', cause: { message: expect.stringContaining('ECONNREFUSED') } });
});

test('no outcome contains the secrets of the channel, whatever Mollie answers', async () => {
  const reference = await paidReference();
  const echo = JSON.stringify({
    status: 422,
    title: 'Unprocessable Entity',
    detail: `${credentials.apiKey} ${credentials.webhookSecret} https://here/?key=txn_1-1&token=0a1b2c`,
  });
  const operations = [operationCreated(), refundOperation(reference), cancelOperation(operationCreated({ reference }))];
  for (const operation of operations) {
    for (const fault of [...unclear, { when: 'before', how: 422, body: echo } as Fault]) {
      const outcome = await withFault(fault, (faultyCall) => begin(operation, faultyCall));
      const shown = inspect(outcome, { depth: 10, showHidden: true });
      expect(shown).not.toMatch(/canary|0a1b2c/);
    }
  }
});

function begin(operation: Operation, faultyCall: Call): Promise<Outcome> {
  if (operation.kind === 'CHARGE') return mollie.charge(operation, faultyCall);
  if (operation.kind === 'REFUND') return mollie.refund(operation, faultyCall);
  if (operation.kind === 'CANCEL') return mollie.cancel(operation, faultyCall);
  throw new Error(`${operation.kind} is not begun here.`);
}

test('what Mollie no longer knows is forgotten, so that a person is told', async () => {
  const operation = operationCreated();
  const { reference } = (await mollie.charge(operation, call)) as { reference: string };
  simulator.api.payments.delete(reference);
  expect(await mollie.lookUp({ ...operation, reference }, call)).toMatchObject({ kind: 'unknown', isForgotten: true });
  const refund = refundOperation(await paidReference(), { reference: 're_gone' });
  expect(await mollie.lookUp(refund, call)).toMatchObject({ kind: 'unknown', isForgotten: true });
});
