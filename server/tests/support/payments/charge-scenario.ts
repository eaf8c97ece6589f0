import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { PaymentRow } from '../../../src/domains/payments/transactions/record.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../postgres/database.ts';
import { operationsNode } from './operations-node.ts';
import { arrangeChannels, principalOf } from './payments.ts';

/**
 * A database with channels 10, 11 and 21 of a scripted provider, 10 being the fallback of 11, and for each test a node
 * whose dispatcher is not started. The clock stands still unless a test sets `nowMs`.
 */
export function chargeScenario() {
  const principal = principalOf(1, 7);
  const scenario = {
    db: undefined as unknown as TestDatabase,
    node: undefined as unknown as Awaited<ReturnType<typeof operationsNode>>,
    nowMs: 0,
    principal,
    pay,
    paymentWhere,
    endOfPayment,
    operationInState,
    openWithLookUps,
    eventsOf,
    transfersOf,
  };

  beforeAll(async () => {
    scenario.db = await databaseFromTemplate();
    await arrangeChannels(scenario.db);
    await scenario.db.query(`update channel set provider = 'sandbox', fallback_channel_ids = '{10}' where id = 11`);
    await scenario.db.query(`update channel set provider = 'sandbox' where id in (10, 21)`);
  });

  afterAll(() => scenario.db.drop());

  beforeEach(async () => {
    scenario.nowMs = Date.parse('2026-11-21T12:00:00Z');
    scenario.node = await operationsNode(scenario.db, { clock: () => scenario.nowMs });
  });

  afterEach(async () => {
    await scenario.node.stop();
    expect(scenario.node.errors).toEqual([]);
    await scenario.db.query('delete from provider_operation');
    await scenario.db.query('delete from channel_pace');
  });

  return scenario;

  function pay(channelId = 21): Promise<string> {
    return scenario.node.create({ amount: 1999, currency: 'USD', channelId }, principal);
  }

  /** Reads the payment until the condition holds. */
  function paymentWhere(id: string, holds: (row: PaymentRow) => boolean): Promise<PaymentRow> {
    return eventually(`the payment ${id} is as expected`, async () => {
      const row = await scenario.node.find(id, principal);
      return holds(row) && row;
    });
  }

  function endOfPayment(id: string): Promise<PaymentRow> {
    return paymentWhere(id, ({ status }) => status !== 'PENDING' && status !== 'PROCESSING');
  }

  /** Reads the newest operation of the payment until it has the state. */
  function operationInState(id: string, state: string) {
    return eventually(`the newest operation of ${id} is ${state}`, async () => {
      const operations = await scenario.node.operationsOf(1, id);
      const last = operations.at(-1);
      return last?.state === state && last;
    });
  }

  /** Waits until the charge is open, not leased, and was looked up this often. */
  function openWithLookUps(id: string, lookUps: number) {
    return eventually(`the charge of ${id} is open after ${lookUps} look-ups`, async () => {
      const [operation] = await scenario.node.operationsOf(1, id);
      const [free] = await scenario.db.query<{ free: boolean }>('select lease is null as free from provider_operation');
      return operation?.look_ups === lookUps && operation.calls > 0 && free?.free && operation;
    });
  }

  async function eventsOf(id: string): Promise<string[]> {
    const events = await scenario.db.query<{ type: string }>(
      'select type from event where object_id = $1 order by id',
      [id],
    );
    return events.map(({ type }) => type);
  }

  function transfersOf(id: string) {
    return scenario.db.query<{ debit: string; credit: string; amount: number }>(
      `select debit, credit, amount from ledger_transfer
        where 'txn_' || replace(transaction_id::text, '-', '') = $1 order by leg`,
      [id],
    );
  }
}
