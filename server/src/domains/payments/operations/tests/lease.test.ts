import { expect, test } from 'vitest';
import { type LosingDatabase, losingAnswers } from '../../../../../tests/support/faults/lost-answers.ts';
import { chargeScenario } from '../../../../../tests/support/payments/charge-scenario.ts';
import { operationsNode } from '../../../../../tests/support/payments/operations-node.ts';

const scenario = chargeScenario();
const { pay, endOfPayment, eventsOf } = scenario;

test('an operation whose node died while calling is looked up when its lease expires, not called', async () => {
  const id = await pay();
  await scenario.db.query(
    `update provider_operation set state = 'CALLING', lease = gen_random_uuid(), leased_until = to_timestamp($1)`,
    [scenario.nowMs / 1000 + 60],
  );
  scenario.node.dispatcher.start();
  scenario.nowMs += 59_000;
  scenario.node.dispatcher.wake();
  const other = await pay();
  await endOfPayment(other);
  expect(scenario.node.provider.requests.filter(({ operation }) => operation.key === `${id}-1`)).toEqual([]);
  scenario.nowMs += 2_000;
  scenario.node.dispatcher.wake();
  expect((await endOfPayment(id)).status).toBe('SUCCESS');
  expect(scenario.node.provider.requests.filter(({ operation }) => operation.key === `${id}-1`)).toMatchObject([
    { verb: 'look_up' },
  ]);
});

test('operations of a claim whose response was lost are called at once by the same node, each once', async () => {
  await scenario.node.stop();
  const ids: string[] = [];
  let losing: LosingDatabase | undefined;
  // The clock stands still: no lease expires.
  scenario.node = await operationsNode(scenario.db, {
    clock: () => scenario.nowMs,
    wrapDatabase: (database) => {
      losing = losingAnswers(database, 'operations.claim', 1, 3);
      return losing;
    },
  });
  for (let i = 0; i < 5; i++) ids.push(await pay());
  scenario.node.dispatcher.start();
  for (const id of ids) expect((await endOfPayment(id)).status).toBe('SUCCESS');
  expect(losing?.lost).toHaveLength(1);
  expect(scenario.node.provider.verbs()).toEqual(Array.from({ length: 5 }, () => 'charge'));
  expect(scenario.node.errors.splice(0)).toHaveLength(1);
});

test('operations whose move to PROCESSING got no response are called at once, each once', async () => {
  await scenario.node.stop();
  scenario.node = await operationsNode(scenario.db, {
    clock: () => scenario.nowMs,
    wrapDatabase: (database) => losingAnswers(database, 'transactions.transition_many', 1, 0),
  });
  const id = await pay();
  scenario.node.dispatcher.start();
  expect((await endOfPayment(id)).status).toBe('SUCCESS');
  expect(await eventsOf(id)).toEqual(['transaction.created', 'transaction.processing', 'transaction.succeeded']);
  expect(scenario.node.provider.verbs()).toEqual(['charge']);
  expect(scenario.node.errors.splice(0)).toHaveLength(1);
});

test('after the clock was set back, leases and look-ups last no longer than their own length', async () => {
  scenario.node.provider.answer = (_verb, { key }) => ({ kind: 'succeeded', reference: key });
  const [leased, unknown] = [await pay(), await pay()];
  const uuid = (id: string) => id.slice(4);
  const aDayAhead = scenario.nowMs / 1000 + 86_400;
  await scenario.db.query(
    `update provider_operation set state = 'CALLING', lease = gen_random_uuid(), leased_until = to_timestamp($2)
      where replace(transaction_id::text, '-', '') = $1`,
    [uuid(leased), aDayAhead],
  );
  await scenario.db.query(
    `update provider_operation set state = 'UNKNOWN', look_ups = 0, due_at = to_timestamp($2)
      where replace(transaction_id::text, '-', '') = $1`,
    [uuid(unknown), aDayAhead],
  );
  scenario.node.dispatcher.start();
  await scenario.node.dispatcher.clockWasSetBack();
  expect(scenario.node.provider.requests).toEqual([]);
  scenario.nowMs += 5_000;
  scenario.node.dispatcher.wake();
  expect((await endOfPayment(unknown)).status).toBe('SUCCESS');
  expect(scenario.node.provider.requests).toHaveLength(1);
  // A lease lasts two calls of 5 s, and 10 s more.
  scenario.nowMs += 16_000;
  scenario.node.dispatcher.wake();
  expect((await endOfPayment(leased)).status).toBe('SUCCESS');
});

test('two nodes charge each payment once', async () => {
  const other = await operationsNode(scenario.db, { clock: () => scenario.nowMs, provider: scenario.node.provider });
  const ids = await Promise.all(Array.from({ length: 200 }, () => pay()));
  scenario.node.dispatcher.start();
  other.dispatcher.start();
  for (const id of ids) expect((await endOfPayment(id)).status).toBe('SUCCESS');
  expect(scenario.node.provider.verbs()).toEqual(Array.from({ length: 200 }, () => 'charge'));
  await other.stop();
});
