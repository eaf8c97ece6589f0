import { expect, test } from 'vitest';
import { chargeScenario } from '../../../../../tests/support/payments/charge-scenario.ts';
import { uuidOfPublicId } from '../../../../core/id.ts';
import { failure } from '../../providers/failures.ts';

const scenario = chargeScenario();
const { pay, endOfPayment, openWithLookUps, eventsOf, transfersOf, principal } = scenario;

test('a contradiction changes no final status, and is on the timeline', async () => {
  const id = await pay();
  scenario.node.dispatcher.start();
  await endOfPayment(id);
  const [operation] = await scenario.node.operationsOf(1, id);
  await scenario.node.settler.settle(
    operation as never,
    { kind: 'failed', failure: failure('card_declined') },
    'callback',
  );
  await scenario.node.settler.settle(operation as never, { kind: 'succeeded', reference: 'again' }, 'callback');
  expect((await scenario.node.find(id, principal)).status).toBe('SUCCESS');
  expect(scenario.node.discrepancies).toEqual(['SUCCEEDED failed']);
  expect(await transfersOf(id)).toHaveLength(1);
  expect(await scenario.db.query('select kind from timeline_message')).toContainEqual({ kind: 'contradiction' });
});

test.each([
  ['amount', { amount: 1998, currency: 'USD' }],
  ['currency', { amount: 1999, currency: 'EUR' }],
  ['currency, without an amount', { currency: 'EUR' }],
  ['amount that is no whole number of minor units', { amount: null, currency: 'USD' }],
])(
  'an answer with another %s books nothing, and the operation is looked up until the answer is right',
  async (_, money) => {
    scenario.node.provider.answer = (_verb, { key }) => ({ kind: 'succeeded', reference: key, money });
    const id = await pay();
    scenario.node.dispatcher.start();
    await openWithLookUps(id, 0);
    scenario.nowMs += 5_000;
    scenario.node.dispatcher.wake();
    expect((await openWithLookUps(id, 1)).state).toBe('UNKNOWN');
    expect((await scenario.node.find(id, principal)).status).toBe('PROCESSING');
    expect(await transfersOf(id)).toEqual([]);
    expect(await eventsOf(id)).toEqual(['transaction.created', 'transaction.processing']);
    // Reported by the provider twice, recorded once.
    expect(
      await scenario.db.query(`select 1 from timeline_message where transaction_id = $1 and kind = 'mismatch'`, [
        uuidOfPublicId('txn', id),
      ]),
    ).toHaveLength(1);
    expect(scenario.node.discrepancies).toEqual(['READY succeeded']);
    const [operation] = await scenario.node.operationsOf(1, id);
    expect(
      await scenario.node.settler.settle(operation as never, { kind: 'succeeded', reference: 'r', money }, 'callback'),
    ).toBe('mismatch');
    scenario.node.provider.answer = (_verb, { key }) => ({
      kind: 'succeeded',
      reference: key,
      money: { amount: 1999, currency: 'USD' },
    });
    scenario.nowMs += 30_000;
    scenario.node.dispatcher.wake();
    expect((await endOfPayment(id)).status).toBe('SUCCESS');
    expect(await transfersOf(id)).toEqual([{ debit: 'PROVIDER_RECEIVABLE', credit: 'MERCHANT_PAYABLE', amount: 1999 }]);
  },
);
