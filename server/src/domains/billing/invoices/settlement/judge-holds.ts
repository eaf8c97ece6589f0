import { type FailureReports, Worker } from '../../../../platform/jobs/worker.ts';
import type { Database, Queryable, Transaction } from '../../../../platform/postgres/database.ts';
import { type InvoiceKey, keyOfRow, lockInvoices, mapKeyOf } from '../lock.ts';
import { unpaidAmountOf } from '../rules.ts';
import type { LockedInvoice } from '../statements.ts';
import type { SettleHold } from './excess.ts';
import {
  type ContestedHold,
  contestedHoldDue,
  findContestedHolds,
  findContestedHoldsOf,
  holdsDue,
  setHoldState,
  sumKeptHolds,
} from './hold-statements.ts';
import type { RecordedPayment } from './settle-statements.ts';

export interface JudgeHoldsDeps extends FailureReports {
  database: Database;
  settleHold: SettleHold;
}

/**
 * Keeps payments that have just been authorized for locked invoices, as long as each finds its amount left. Those that
 * do not are judged afterwards: a release needs the lock of the payment alone.
 */
export async function keepHolds(transaction: Queryable, authorized: readonly RecordedPayment[]): Promise<void> {
  if (authorized.length === 0) return;
  const keys = authorized.map(({ tenant_id, invoice_id }) => ({ tenantId: tenant_id, invoiceId: invoice_id }));
  const invoiceOf = new Map((await lockInvoices(transaction, keys)).map((one) => [mapKeyOf(keyOfRow(one)), one]));
  for (const [i, { number, amount }] of authorized.entries()) {
    const key = keys[i] as InvoiceKey;
    const left = await leftOf(transaction, invoiceOf.get(mapKeyOf(key)) as LockedInvoice);
    const state = left >= amount ? 'KEPT' : 'CONTESTED';
    await transaction.run(setHoldState, [key.tenantId, key.invoiceId, number, state]);
  }
}

/** What neither money nor authorizations that stay have paid of a locked invoice. */
async function leftOf(transaction: Queryable, invoice: LockedInvoice): Promise<number> {
  const [kept] = await transaction.run(sumKeptHolds, [invoice.tenant_id, invoice.id]);
  return unpaidAmountOf(invoice) - (kept?.amount ?? 0);
}

/** Payments found at once. */
const maximumBatch = 50;

/**
 * Judges authorized payments of invoices: one that finds less left to pay than its amount is released. What was
 * authorized first reserves what is left, and a payment that succeeds meanwhile takes it. They are judged under the
 * lock of their invoice, so no leases are needed.
 */
export function contestedHoldWorker(deps: JudgeHoldsDeps): Worker<ContestedHold> {
  const { onError, onRecovered } = deps;
  return new Worker<ContestedHold>({
    name: 'holds',
    dueWork: { topic: holdsDue, due: contestedHoldDue },
    claim: (limit) => judgeHolds(limit, deps),
    slots: maximumBatch,
    onError,
    onRecovered,
  });
}

async function judgeHolds(limit: number, deps: JudgeHoldsDeps): Promise<readonly ContestedHold[]> {
  const { database } = deps;
  const found = await database.run(findContestedHolds, [limit]);
  const keys = new Map(
    found.map(({ tenant_id: tenantId, invoice_id: invoiceId }) => {
      const key = { tenantId, invoiceId };
      return [mapKeyOf(key), key];
    }),
  );
  // One transaction each: those that settle payments lock several, in another order.
  for (const key of keys.values()) await database.transaction((transaction) => judgeHoldsOf(transaction, key, deps));
  return found;
}

async function judgeHoldsOf(
  transaction: Transaction,
  { tenantId, invoiceId }: InvoiceKey,
  { settleHold }: JudgeHoldsDeps,
): Promise<void> {
  const [invoice] = (await lockInvoices(transaction, [{ tenantId, invoiceId }])) as [LockedInvoice];
  // Another node may have judged some of them before the invoice was locked.
  for (const hold of await transaction.run(findContestedHoldsOf, [tenantId, invoiceId])) {
    const left = await leftOf(transaction, invoice);
    const { transaction_id: transactionId, hold_state: state } = hold;
    const next = await settleHold(transaction, { tenantId, invoiceId, transactionId, left, state });
    await transaction.run(setHoldState, [tenantId, invoiceId, hold.number, next]);
  }
}
