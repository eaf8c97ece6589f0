import { expect, test } from 'vitest';
import { chargeScenario } from '../../../../../tests/support/payments/charge-scenario.ts';
import { eventually } from '../../../../../tests/support/postgres/database.ts';
import { uuidOfPublicId } from '../../../../core/id.ts';
import { failure } from '../../providers/failures.ts';
import type { Outcome } from '../../providers/outcome.ts';

const scenario = chargeScenario();
const { pay, endOfPayment, operationInState, eventsOf, principal } = scenario;

test('a payment cancelled before its charge is sent is never charged', async () => {
  const id = await pay();
  await scenario.node.update({ id, status: 'CANCELLED' }, principal);
  scenario.node.dispatcher.start();
  await operationInState(id, 'CANCELLED');
  expect(scenario.node.provider.requests).toEqual([]);
});

test('a payment cancelled after its node died in the call is looked up, and not charged', async () => {
  scenario.node.provider.answer = (verb, { key }) =>
    verb === 'look_up' ? { kind: 'absent' } : { kind: 'succeeded', reference: key };
  const id = await pay();
  await scenario.db.query(
    `update provider_operation set state = 'CALLING', lease = gen_random_uuid(), leased_until = to_timestamp($1)`,
    [scenario.nowMs / 1000 + 60],
  );
  expect(await scenario.node.update({ id, status: 'CANCELLED' }, principal)).toMatchObject({ status: 'CANCELLED' });
  scenario.nowMs += 61_000;
  scenario.node.dispatcher.start();
  await operationInState(id, 'CANCELLED');
  expect(scenario.node.provider.verbs()).toEqual(['look_up']);
});

test('a payment whose charge was sent is CANCELLED only when the provider confirms', async () => {
  const confirmation = Promise.withResolvers<Outcome>();
  scenario.node.provider.answer = (verb, { key }) =>
    verb === 'cancel' ? confirmation.promise : { kind: 'pending', reference: key };
  const id = await pay();
  scenario.node.dispatcher.start();
  await operationInState(id, 'WAITING');
  expect(await scenario.node.update({ id, status: 'CANCELLED' }, principal)).toMatchObject({ status: 'PROCESSING' });
  expect(await scenario.node.update({ id, status: 'CANCELLED' }, principal)).toMatchObject({ status: 'PROCESSING' });
  confirmation.resolve({ kind: 'cancelled' });
  expect((await endOfPayment(id)).status).toBe('CANCELLED');
  expect(await scenario.node.operationsOf(1, id)).toMatchObject([
    { kind: 'CHARGE', state: 'CANCELLED' },
    { kind: 'CANCEL', state: 'SUCCEEDED' },
  ]);
  expect((await eventsOf(id)).at(-1)).toBe('transaction.cancelled');
});

test('a cancellation is not sent while its charge is being sent', async () => {
  let answer: (outcome: Outcome) => void = () => {};
  scenario.node.provider.answer = (verb) =>
    verb === 'cancel'
      ? { kind: 'cancelled' }
      : new Promise<Outcome>((resolve) => {
          answer = resolve;
        });
  const id = await pay();
  scenario.node.dispatcher.start();
  await eventually('the charge is being sent', () => scenario.node.provider.requests.length > 0);
  await scenario.node.update({ id, status: 'CANCELLED' }, principal);
  const waits = async () =>
    (
      await scenario.db.query<{ due_ms: number }>(
        `select (extract(epoch from due_at) * 1000)::float8 as due_ms from provider_operation where kind = 'CANCEL'`,
      )
    )[0]?.due_ms;
  await eventually('the cancellation waits', async () => {
    scenario.node.dispatcher.wake();
    return (await waits()) === scenario.nowMs + 1_000;
  });
  expect(scenario.node.provider.verbs()).toEqual(['charge']);
  answer({ kind: 'pending', reference: 'r' });
  await eventually(
    'the charge waits for its outcome',
    async () => (await scenario.node.operationsOf(1, id))[0]?.state === 'WAITING',
  );
  scenario.nowMs += 1_000;
  scenario.node.dispatcher.wake();
  expect((await endOfPayment(id)).status).toBe('CANCELLED');
  expect(scenario.node.provider.verbs()).toEqual(['charge', 'cancel']);
});

test('a cancellation that comes too late changes nothing', async () => {
  let decide: (outcome: Outcome) => void = () => {};
  scenario.node.provider.answer = (verb) => {
    if (verb === 'cancel') return { kind: 'failed', failure: failure('invalid_operation') };
    return verb === 'charge'
      ? { kind: 'pending', reference: 'r' }
      : new Promise<Outcome>((resolve) => (decide = resolve));
  };
  const id = await pay();
  scenario.node.dispatcher.start();
  await operationInState(id, 'WAITING');
  await scenario.node.update({ id, status: 'CANCELLED' }, principal);
  await operationInState(id, 'FAILED');
  scenario.nowMs += 5_000;
  scenario.node.dispatcher.wake();
  await eventually('the look-up', () => scenario.node.provider.verbs().includes('look_up'));
  decide({ kind: 'succeeded', reference: 'r' });
  expect((await endOfPayment(id)).status).toBe('SUCCESS');
});

test('a payment with 9,999 requests to its provider cannot be cancelled there any more', async () => {
  scenario.node.provider.answer = (_verb, { key }) => ({ kind: 'pending', reference: key });
  const id = await pay();
  scenario.node.dispatcher.start();
  await operationInState(id, 'WAITING');
  await scenario.db.query('update provider_operation set number = 9999 where transaction_id = $1', [
    uuidOfPublicId('txn', id),
  ]);
  await expect(scenario.node.update({ id, status: 'CANCELLED' }, principal)).rejects.toMatchObject({
    type: 'illegal_transition',
    field: 'status',
    details: { from: 'PROCESSING', to: 'CANCELLED', allowed: [] },
  });
  expect(await scenario.node.operationsOf(1, id)).toMatchObject([{ kind: 'CHARGE', state: 'WAITING' }]);
});
