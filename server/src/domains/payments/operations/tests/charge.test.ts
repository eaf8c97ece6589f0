import { expect, test } from 'vitest';
import { chargeScenario } from '../../../../../tests/support/payments/charge-scenario.ts';
import { operationsNode } from '../../../../../tests/support/payments/operations-node.ts';
import { eventually } from '../../../../../tests/support/postgres/database.ts';
import { failure } from '../../providers/failures.ts';

const scenario = chargeScenario();
const { pay, paymentWhere, endOfPayment, operationInState, eventsOf, transfersOf, principal } = scenario;

test('a payment at a provider goes from PENDING to SUCCESS, with its events and its transfer', async () => {
  const id = await pay();
  expect((await scenario.node.find(id, principal)).status).toBe('PENDING');
  scenario.node.dispatcher.start();
  const paid = await endOfPayment(id);
  expect(paid).toMatchObject({ status: 'SUCCESS', provider_reference: `ref-${id}-1`, version: 3 });
  expect(await eventsOf(id)).toEqual(['transaction.created', 'transaction.processing', 'transaction.succeeded']);
  expect(await transfersOf(id)).toEqual([{ debit: 'PROVIDER_RECEIVABLE', credit: 'MERCHANT_PAYABLE', amount: 1999 }]);
  expect(scenario.node.provider.verbs()).toEqual(['charge']);
});

test('many payments end, each charged once', async () => {
  scenario.node.dispatcher.start();
  const ids = await Promise.all(Array.from({ length: 500 }, () => pay()));
  for (const id of ids) expect((await endOfPayment(id)).status).toBe('SUCCESS');
  expect(new Set(scenario.node.provider.requests.map(({ operation }) => operation.key)).size).toBe(500);
  expect(scenario.node.provider.requests).toHaveLength(500);
});

test("the provider's fee is booked", async () => {
  scenario.node.provider.answer = (_verb, { key }) => ({
    kind: 'succeeded',
    reference: key,
    fee: { amount: 59, currency: 'USD' },
  });
  const id = await pay();
  scenario.node.dispatcher.start();
  await endOfPayment(id);
  expect(await transfersOf(id)).toEqual([
    { debit: 'PROVIDER_RECEIVABLE', credit: 'MERCHANT_PAYABLE', amount: 1999 },
    { debit: 'PROVIDER_FEES', credit: 'PROVIDER_RECEIVABLE', amount: 59 },
  ]);
});

test('a decline fails the payment with a failure code of the catalogue and no ledger transfer', async () => {
  scenario.node.provider.answer = () => ({ kind: 'failed', failure: failure('insufficient_funds', 'nsf') });
  const id = await pay(11);
  scenario.node.dispatcher.start();
  expect(await endOfPayment(id)).toMatchObject({ status: 'FAILED', failure_code: 'insufficient_funds' });
  expect(await transfersOf(id)).toEqual([]);
  expect(await scenario.node.operationsOf(1, id)).toMatchObject([{ state: 'FAILED', number: 1 }]);
});

test('after a retriable failure the fallback channel is tried under a new key', async () => {
  scenario.node.provider.answer = (_verb, { key }) =>
    key.endsWith('-1')
      ? { kind: 'failed', failure: failure('processing_error') }
      : { kind: 'succeeded', reference: 'second' };
  const id = await pay(11);
  scenario.node.dispatcher.start();
  expect(await endOfPayment(id)).toMatchObject({ status: 'SUCCESS', channel_id: 11, provider_reference: 'second' });
  expect(scenario.node.provider.requests.map(({ operation }) => operation.key)).toEqual([`${id}-1`, `${id}-2`]);
  expect(await scenario.node.operationsOf(1, id)).toMatchObject([
    { state: 'FAILED', operation_channel_id: 11 },
    { state: 'SUCCEEDED', operation_channel_id: 10 },
  ]);
});

test('a payment fails when its last fallback channel has failed', async () => {
  scenario.node.provider.answer = () => ({ kind: 'failed', failure: failure('processing_error') });
  const id = await pay(11);
  scenario.node.dispatcher.start();
  expect(await endOfPayment(id)).toMatchObject({ status: 'FAILED', failure_code: 'processing_error' });
  expect(scenario.node.provider.requests).toHaveLength(2);
});

test('the next action of the payer is on the payment and in an event', async () => {
  const nextAction = { type: 'redirect' as const, url: 'https://pay.example.com/1' };
  scenario.node.provider.answer = () => ({ kind: 'needs_payer', reference: 'r', nextAction });
  const id = await pay();
  scenario.node.dispatcher.start();
  expect(await paymentWhere(id, ({ next_action }) => next_action !== null)).toMatchObject({
    status: 'PROCESSING',
    next_action: nextAction,
    provider_reference: 'r',
  });
  expect(await eventsOf(id)).toEqual([
    'transaction.created',
    'transaction.processing',
    'transaction.processing',
    'transaction.action_required',
  ]);
});

test('twenty concurrent reports of the same outcome settle once', async () => {
  scenario.node.provider.answer = () => ({ kind: 'pending', reference: 'r' });
  const id = await pay();
  scenario.node.dispatcher.start();
  const operation = await operationInState(id, 'WAITING');
  await Promise.all(
    Array.from({ length: 20 }, () =>
      scenario.node.settler.settle(operation, { kind: 'succeeded', reference: 'r' }, 'callback'),
    ),
  );
  expect(await eventsOf(id)).toEqual(['transaction.created', 'transaction.processing', 'transaction.succeeded']);
  expect(await transfersOf(id)).toHaveLength(1);
});

test('a settlement and concurrent updates of the description are both applied', async () => {
  scenario.node.provider.answer = () => ({ kind: 'pending', reference: 'r' });
  const id = await pay();
  scenario.node.dispatcher.start();
  const operation = await operationInState(id, 'WAITING');
  await Promise.all([
    ...Array.from({ length: 5 }, (_, i) => scenario.node.update({ id, description: `Words ${i}` }, principal)),
    scenario.node.settler.settle(operation, { kind: 'succeeded', reference: 'r' }, 'callback'),
  ]);
  expect(await scenario.node.find(id, principal)).toMatchObject({
    status: 'SUCCESS',
    description: expect.stringMatching(/^Words/),
  });
});

test('the database refuses a second charge of a payment while one is not void', async () => {
  const id = await pay();
  await expect(
    scenario.db.query(
      `insert into provider_operation (tenant_id, transaction_id, number, kind, channel_id, provider, amount, due_at,
           created_at)
       select tenant_id, transaction_id, 2, kind, channel_id, provider, amount, due_at, created_at
           from provider_operation
        where 'txn_' || replace(transaction_id::text, '-', '') = $1`,
      [id],
    ),
  ).rejects.toMatchObject({ constraint: 'provider_operation_one_charge' });
});

test.each([
  ['stripe', 'sandbox'],
  ['sandbox', 'stripe'],
])(
  'a charge that %s declined is never tried at %s, even if the channel lists it as a fallback',
  async (provider, other) => {
    const sets = `provider = $1, livemode = $1 <> 'sandbox'`;
    await scenario.db.query(`update channel set ${sets}, fallback_channel_ids = '{10}' where id = 11`, [provider]);
    await scenario.db.query(`update channel set ${sets} where id = 10`, [other]);
    const mixed = await operationsNode(scenario.db, { clock: () => scenario.nowMs });
    mixed.dispatcher.start();
    mixed.provider.answer = () => ({ kind: 'failed', failure: failure('processing_error') });
    const id = await mixed.create({ amount: 1000, currency: 'USD', channelId: 11 }, principal);
    await eventually('the payment fails', async () => (await mixed.find(id, principal)).status === 'FAILED');
    expect(await mixed.operationsOf(1, id)).toHaveLength(1);
    await mixed.stop();
  },
);

test('an authorization that failed is never tried at a fallback channel that only captures at once', async () => {
  await scenario.db.query(`update channel set provider = 'sandbox', livemode = false where id in (10, 11)`);
  await scenario.db.query(`update channel set fallback_channel_ids = '{10}' where id = 11`);
  const operationsWith = async (capture: string | null): Promise<number> => {
    await scenario.db.query('update channel set capture = $1 where id = 10', [capture]);
    const node = await operationsNode(scenario.db, { clock: () => scenario.nowMs });
    node.dispatcher.start();
    node.provider.answer = () => ({ kind: 'failed', failure: failure('processing_error') });
    const input = { amount: 1000, currency: 'USD', channelId: 11, captureMethod: 'MANUAL' } as const;
    const id = await node.create(input, principal);
    await eventually('the payment fails', async () => (await node.find(id, principal)).status === 'FAILED');
    const { length } = await node.operationsOf(1, id);
    await node.stop();
    return length;
  };
  expect(await operationsWith('NONE')).toBe(1);
  expect(await operationsWith(null)).toBe(2);
});
