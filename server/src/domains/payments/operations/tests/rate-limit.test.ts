import { expect, test } from 'vitest';
import { brokenClaims } from '../../../../../tests/support/broken-claims.ts';
import { chargeScenario } from '../../../../../tests/support/payments/charge-scenario.ts';
import { eventually } from '../../../../../tests/support/postgres/database.ts';
import { hourMs, minuteMs } from '../../../../core/clock.ts';
import { failure } from '../../providers/failures.ts';
import type { Outcome } from '../../providers/outcome.ts';

const scenario = chargeScenario();
const { pay, endOfPayment, operationInState, eventsOf, principal } = scenario;

const limited = (retryAfter?: string): Outcome => ({
  kind: 'rate_limited',
  failure: failure('provider_unavailable', 'rate_limit'),
  ...(retryAfter !== undefined && { retryAfter }),
});

const dueInMs = async () => {
  const [row] = await scenario.db.query<{ due_ms: number }>(
    `select (extract(epoch from due_at) * 1000)::float8 as due_ms from provider_operation order by number desc limit 1`,
  );
  return (row?.due_ms ?? 0) - scenario.nowMs;
};

/** Starts the dispatcher, and waits until the charge was refused this often and is READY again. */
async function refused(id: string, calls = 1): Promise<void> {
  scenario.node.dispatcher.start();
  scenario.node.dispatcher.wake();
  await eventually('the charge is READY again', async () => {
    const [operation] = await scenario.node.operationsOf(1, id);
    return operation?.state === 'READY' && operation.calls === calls;
  });
}

test('a charge that a rate limit refuses is sent again under the same key, and succeeds', async () => {
  let calls = 0;
  scenario.node.provider.answer = (_verb, { key }) =>
    ++calls < 3 ? limited() : { kind: 'succeeded', reference: `ref-${key}` };
  const id = await pay();
  await refused(id);
  expect((await scenario.node.find(id, principal)).status).toBe('PROCESSING');
  expect(await dueInMs()).toBe(1_000);
  scenario.nowMs += 1_000;
  await refused(id, 2);
  scenario.nowMs += minuteMs;
  scenario.node.dispatcher.wake();
  expect((await endOfPayment(id)).status).toBe('SUCCESS');
  expect(scenario.node.provider.requests.map(({ verb, operation }) => `${verb} ${operation.key}`)).toEqual(
    Array(3).fill(`charge ${id}-1`),
  );
  expect(await eventsOf(id)).toEqual(['transaction.created', 'transaction.processing', 'transaction.succeeded']);
});

test.each([
  ['90', 90_000],
  ['Sat, 21 Nov 2026 12:05:00 GMT', 5 * minuteMs],
  ['soon', 1_000],
  ['86400', hourMs],
])('Retry-After %s is honoured', async (retryAfter, expectedMs) => {
  scenario.node.provider.answer = (_verb, { key }) =>
    scenario.node.provider.requests.length === 1 ? limited(retryAfter) : { kind: 'succeeded', reference: key };
  const id = await pay();
  await refused(id);
  expect(await dueInMs()).toBe(expectedMs);
  scenario.nowMs += expectedMs;
  scenario.node.dispatcher.wake();
  expect((await endOfPayment(id)).status).toBe('SUCCESS');
});

test('a charge that is refused for an hour fails, and not before', async () => {
  scenario.node.provider.answer = () => limited('1800');
  const id = await pay();
  await refused(id);
  scenario.nowMs += 30 * minuteMs;
  await refused(id, 2);
  expect(await dueInMs()).toBe(30 * minuteMs);
  scenario.nowMs += 30 * minuteMs;
  scenario.node.dispatcher.wake();
  expect(await endOfPayment(id)).toMatchObject({ status: 'FAILED', failure_code: 'provider_unavailable' });
  expect(scenario.node.provider.verbs()).toEqual(['charge', 'charge', 'charge']);
});

test('a charge that a rate limit refuses goes to the fallback channel at once', async () => {
  scenario.node.provider.answer = (_verb, { key }) =>
    key.endsWith('-1') ? limited('1800') : { kind: 'succeeded', reference: 'second' };
  const id = await pay(11);
  scenario.node.dispatcher.start();
  expect(await endOfPayment(id)).toMatchObject({ status: 'SUCCESS', provider_reference: 'second' });
  expect(scenario.node.provider.requests.map(({ operation }) => operation.key)).toEqual([`${id}-1`, `${id}-2`]);
});

test('a payment that waits for a rate limit is cancelled at once, without a call', async () => {
  scenario.node.provider.answer = () => limited('1800');
  const id = await pay();
  await refused(id);
  expect(await scenario.node.update({ id, status: 'CANCELLED' }, principal)).toMatchObject({ status: 'CANCELLED' });
  expect(await scenario.node.operationsOf(1, id)).toMatchObject([{ kind: 'CHARGE', state: 'CANCELLED' }]);
  scenario.nowMs += hourMs;
  scenario.node.dispatcher.wake();
  expect(scenario.node.provider.verbs()).toEqual(['charge']);
  expect(await eventsOf(id)).toEqual(['transaction.created', 'transaction.processing', 'transaction.cancelled']);
  const counted = await scenario.db.query(`select outcome, count from charge_total_delta where outcome = 'CANCELLED'`);
  expect(counted).toEqual([{ outcome: 'CANCELLED', count: 1 }]);
  expect((await brokenClaims(scenario.db.database)).filter((claim) => claim.includes(id))).toEqual([]);
});

test('a payment cancelled during the refused call is not sent again', async () => {
  const answer = Promise.withResolvers<Outcome>();
  scenario.node.provider.answer = () => answer.promise;
  const id = await pay();
  scenario.node.dispatcher.start();
  await eventually('the charge is being sent', () => scenario.node.provider.requests.length > 0);
  expect(await scenario.node.update({ id, status: 'CANCELLED' }, principal)).toMatchObject({ status: 'PROCESSING' });
  answer.resolve(limited());
  expect((await endOfPayment(id)).status).toBe('CANCELLED');
  expect(scenario.node.provider.verbs()).toEqual(['charge']);
  expect((await brokenClaims(scenario.db.database)).filter((claim) => claim.includes(id))).toEqual([]);
});

test('a cancellation that races with the claim never leaves a charge of a cancelled payment', async () => {
  scenario.node.provider.answer = (verb, { key }) => {
    if (verb === 'cancel') return { kind: 'failed', failure: failure('invalid_operation') };
    return scenario.node.provider.requests.filter(({ operation }) => operation.key === key).length === 1
      ? limited('1')
      : { kind: 'succeeded', reference: key };
  };
  const ids = await Promise.all(Array.from({ length: 40 }, () => pay()));
  for (const id of ids) await refused(id);
  scenario.nowMs += 1_000;
  scenario.node.dispatcher.wake();
  await Promise.allSettled(ids.map((id) => scenario.node.update({ id, status: 'CANCELLED' }, principal)));
  const charged = new Map<string, number>();
  for (const { operation } of scenario.node.provider.requests) {
    charged.set(operation.transactionId, (charged.get(operation.transactionId) ?? 0) + 1);
  }
  for (const id of ids) {
    const { status } = await endOfPayment(id);
    expect([status, charged.get(id)]).toEqual(
      status === 'SUCCESS' ? ['SUCCESS', expect.any(Number)] : ['CANCELLED', 1],
    );
  }
});

test('a refund that a rate limit refuses waits, and is sent again under the same key, without an end', async () => {
  const id = await pay();
  scenario.node.dispatcher.start();
  await endOfPayment(id);
  scenario.node.provider.answer = () => limited();
  await scenario.node.refund({ transactionId: id }, principal);
  await operationInState(id, 'READY');
  await eventually('the refund was refused', async () => (await scenario.node.operationsOf(1, id))[1]?.calls === 1);
  scenario.nowMs += 3 * hourMs;
  scenario.node.dispatcher.wake();
  await eventually('it was refused again', async () => (await scenario.node.operationsOf(1, id))[1]?.calls === 2);
  scenario.node.provider.answer = (_verb, { key }) => ({ kind: 'succeeded', reference: key });
  scenario.nowMs += minuteMs;
  scenario.node.dispatcher.wake();
  await operationInState(id, 'SUCCEEDED');
  expect(scenario.node.provider.verbs()).toEqual(['charge', 'refund', 'refund', 'refund']);
});

test('a look-up that a rate limit refuses says nothing, and is made again when the provider asks for it', async () => {
  scenario.node.provider.answer = (verb) =>
    verb === 'charge' ? { kind: 'unknown', cause: new Error('lost') } : limited('7');
  const id = await pay();
  scenario.node.dispatcher.start();
  await operationInState(id, 'UNKNOWN');
  scenario.nowMs += 5_000;
  scenario.node.dispatcher.wake();
  await eventually('the look-up was refused', async () => (await dueInMs()) === 7_000);
  expect(await scenario.node.operationsOf(1, id)).toMatchObject([{ state: 'UNKNOWN', calls: 1, look_ups: 0 }]);
  scenario.node.provider.answer = (_verb, { key }) => ({ kind: 'succeeded', reference: key });
  scenario.nowMs += 7_000;
  scenario.node.dispatcher.wake();
  expect((await endOfPayment(id)).status).toBe('SUCCESS');
  expect(scenario.node.provider.verbs()).toEqual(['charge', 'look_up', 'look_up']);
});

test('a rate limit after a look-up that found nothing leaves the charge to be sent', async () => {
  scenario.node.provider.answer = (verb) =>
    verb === 'look_up' ? { kind: 'absent' } : { kind: 'unknown', cause: new Error('lost') };
  const id = await pay();
  scenario.node.dispatcher.start();
  await operationInState(id, 'UNKNOWN');
  scenario.node.provider.answer = (verb) => (verb === 'look_up' ? { kind: 'absent' } : limited());
  scenario.nowMs += 5_000;
  await refused(id, 2);
  scenario.node.provider.answer = (_verb, { key }) => ({ kind: 'succeeded', reference: key });
  scenario.nowMs += 1_000;
  scenario.node.dispatcher.wake();
  expect((await endOfPayment(id)).status).toBe('SUCCESS');
  expect(scenario.node.provider.verbs()).toEqual(['charge', 'look_up', 'charge', 'charge']);
});
