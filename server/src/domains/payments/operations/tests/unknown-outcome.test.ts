import { expect, test, vi } from 'vitest';
import { chargeScenario } from '../../../../../tests/support/payments/charge-scenario.ts';
import { operationsNode, ScriptedProvider } from '../../../../../tests/support/payments/operations-node.ts';
import { eventually } from '../../../../../tests/support/postgres/database.ts';
import { Refusal } from '../../../../core/errors.ts';
import type { Outcome } from '../../providers/outcome.ts';

const scenario = chargeScenario();
const { pay, endOfPayment, openWithLookUps, operationInState } = scenario;

test('an unknown outcome is looked up under the same key until the provider decides, never guessed', async () => {
  scenario.node.provider.answer = (verb) => (verb === 'charge' ? unknown() : { kind: 'pending' });
  const id = await pay();
  scenario.node.dispatcher.start();
  for (const [lookUps, waitMs] of [5_000, 30_000, 300_000, 3_600_000, 86_400_000, 86_400_000].entries()) {
    const operation = await openWithLookUps(id, lookUps);
    expect(operation.status).toBe('PROCESSING');
    const [{ due_ms } = { due_ms: 0 }] = await scenario.db.query<{ due_ms: number }>(
      'select (extract(epoch from due_at) * 1000)::float8 as due_ms from provider_operation',
    );
    expect(due_ms).toBe(scenario.nowMs + waitMs);
    scenario.nowMs += waitMs;
    scenario.node.dispatcher.wake();
  }
  await openWithLookUps(id, 6);
  scenario.node.provider.answer = () => ({ kind: 'succeeded', reference: 'at last' });
  scenario.nowMs += 86_400_000;
  scenario.node.dispatcher.wake();
  expect((await endOfPayment(id)).provider_reference).toBe('at last');
  expect(scenario.node.provider.verbs().filter((verb) => verb === 'charge')).toHaveLength(1);
});

test('a look-up that our own database prevented does not count: the next wait is no longer', async () => {
  scenario.node.provider.answer = () => ({ kind: 'pending', reference: 'r' });
  const id = await pay();
  scenario.node.dispatcher.start();
  const { operation_reference } = await operationInState(id, 'WAITING');
  const away = () => new Refusal('database_unavailable', 'Away.');
  // Thrown, or returned as the sandbox does; more often in a row than opens the breaker.
  for (let look = 1; look <= 8; look++) {
    scenario.node.provider.answer = () => (look % 2 ? Promise.reject(away()) : { kind: 'unknown', cause: away() });
    scenario.nowMs += 5_000;
    scenario.node.dispatcher.wake();
    const nextMs = await dueAfter(id, scenario.nowMs);
    expect(nextMs).toBe(scenario.nowMs + 5_000);
  }
  const [operation] = await scenario.node.operationsOf(1, id);
  expect(operation).toMatchObject({ state: 'WAITING', calls: 1, look_ups: 0, operation_reference });
  const notes = await scenario.db.query('select kind from timeline_message where transaction_id = $1', [operation?.id]);
  expect(notes).toEqual([{ kind: 'pending' }]);
  // The breaker is closed: another payment is called at once.
  scenario.node.provider.answer = () => ({ kind: 'succeeded', reference: 's' });
  expect((await endOfPayment(await pay())).status).toBe('SUCCESS');
});

test('an operation whose credentials cannot be read is tried again soon, not only when its lease expires', async () => {
  const reading = vi.spyOn(scenario.node.credentials, 'of');
  const away = new Refusal('database_unavailable', 'Away.');
  reading.mockRejectedValueOnce(away);
  const id = await pay();
  scenario.node.dispatcher.start();
  expect(await dueAfter(id, scenario.nowMs)).toBe(scenario.nowMs + 1_000);
  expect(await scenario.node.operationsOf(1, id)).toMatchObject([{ state: 'READY', calls: 0, look_ups: 0 }]);
  scenario.node.provider.answer = () => unknown();
  scenario.nowMs += 1_000;
  scenario.node.dispatcher.wake();
  await operationInState(id, 'UNKNOWN');
  reading.mockRejectedValueOnce(away);
  scenario.nowMs += 5_000;
  scenario.node.dispatcher.wake();
  expect(await dueAfter(id, scenario.nowMs)).toBe(scenario.nowMs + 5_000);
  expect(await scenario.node.operationsOf(1, id)).toMatchObject([{ state: 'UNKNOWN', calls: 1, look_ups: 0 }]);
  expect(scenario.node.provider.verbs()).toEqual(['charge']);
});

/** Waits until the open charge of this payment is due later than the given time, and returns when. */
function dueAfter(id: string, laterThanMs: number): Promise<number> {
  return eventually(`the charge of ${id} is due later`, async () => {
    const [row] = await scenario.db.query<{ due_ms: number }>(
      `select (extract(epoch from due_at) * 1000)::float8 as due_ms from provider_operation
        where 'txn_' || replace(transaction_id::text, '-', '') = $1 and lease is null`,
      [id],
    );
    return row !== undefined && row.due_ms > laterThanMs && row.due_ms;
  });
}

test('an operation that the provider does not know is called again, under the same key', async () => {
  scenario.node.provider.answer = (verb) => {
    if (verb === 'look_up') return { kind: 'absent' };
    return scenario.node.provider.verbs().length === 1 ? unknown() : { kind: 'succeeded', reference: 'r' };
  };
  const id = await pay();
  scenario.node.dispatcher.start();
  await openWithLookUps(id, 0);
  scenario.nowMs += 5_000;
  scenario.node.dispatcher.wake();
  expect((await endOfPayment(id)).status).toBe('SUCCESS');
  expect(scenario.node.provider.verbs()).toEqual(['charge', 'look_up', 'charge']);
  expect(new Set(scenario.node.provider.requests.map(({ operation }) => operation.key))).toEqual(new Set([`${id}-1`]));
});

test('a connector that throws or hangs leaves the outcome unknown', async () => {
  await scenario.node.stop();
  const provider = new ScriptedProvider();
  scenario.node = await operationsNode(scenario.db, { clock: () => scenario.nowMs, provider, timeoutMs: 50 });
  provider.answer = () => new Promise(() => {});
  const hanging = await pay();
  scenario.node.dispatcher.start();
  expect((await operationInState(hanging, 'UNKNOWN')).status).toBe('PROCESSING');
  provider.answer = () => Promise.reject(new TypeError('cut'));
  const thrown = await pay();
  expect((await operationInState(thrown, 'UNKNOWN')).status).toBe('PROCESSING');
});

const unknown = (): Outcome => ({ kind: 'unknown', cause: new Error('cut') });
