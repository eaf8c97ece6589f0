import type { GenerateUuid } from '../../../../core/id.ts';
import { type FailureReports, Worker } from '../../../../platform/jobs/worker.ts';
import type { Database, Queryable } from '../../../../platform/postgres/database.ts';
import { appendInvoiceEvents, type InvoiceEvent } from '../events.ts';
import { keyOfRow, lockInvoices, mapKeyOf } from '../lock.ts';
import type { LockedInvoice } from '../statements.ts';
import type { InvoiceFollowers, SettledPayment } from './followers.ts';
import {
  appliedColumns,
  claimEndedPayments,
  type EndedPayment,
  endedPaymentDue,
  invoicesDue,
  markPaymentsApplied,
  settledColumns,
  updateSettledInvoices,
} from './settle-statements.ts';

export interface InvoiceSettlementDeps extends FailureReports {
  database: Database;
  generateUuid: GenerateUuid;
  followers: Pick<InvoiceFollowers, 'settled'>;
}

/** Payments in one transaction. */
const maximumBatch = 200;

/**
 * Settles invoices after their payments have ended: a successful payment counts as paid, any other releases its reservation.
 * A fully paid invoice becomes PAID with one `invoice.paid` event; each failed payment gets an `invoice.payment_failed` event.
 * One transaction claims the payments, locks the invoices and writes everything, so no leases are needed.
 */
export function invoiceSettlementWorker(deps: InvoiceSettlementDeps): Worker<EndedPayment> {
  const { onError, onRecovered } = deps;
  return new Worker<EndedPayment>({
    name: 'invoices',
    dueWork: { topic: invoicesDue, due: endedPaymentDue },
    claim: (limit) => settle(limit, deps),
    slots: maximumBatch,
    onError,
    onRecovered,
  });
}

async function settle(limit: number, deps: InvoiceSettlementDeps): Promise<readonly EndedPayment[]> {
  const { database } = deps;
  // Nearly every poll finds nothing and needs no transaction.
  if ((await database.run(claimEndedPayments, [1])).length === 0) return [];
  return database.transaction(async (transaction) => {
    const claimed = await transaction.run(claimEndedPayments, [limit]);
    if (claimed.length > 0) await apply(transaction, claimed, deps);
    return claimed;
  });
}

async function apply(
  transaction: Queryable,
  ended: readonly EndedPayment[],
  deps: InvoiceSettlementDeps,
): Promise<void> {
  const { generateUuid, followers } = deps;
  const invoices = await lockInvoices(
    transaction,
    ended.map(({ tenant_id, invoice_id }) => ({ tenantId: tenant_id, invoiceId: invoice_id })),
  );
  const current = new Map(invoices.map((invoice) => [mapKeyOf(keyOfRow(invoice)), invoice]));
  const events: InvoiceEvent[] = [];
  const settled: SettledPayment[] = [];
  for (const payment of ended) {
    const key = mapKeyOf({ tenantId: payment.tenant_id, invoiceId: payment.invoice_id });
    const before = current.get(key) as LockedInvoice;
    const atMs = Date.parse(before.clock_now ?? payment.finished_at);
    const after = applyPayment(before, payment, atMs);
    current.set(key, after);
    settled.push(settledPayment(after, payment, atMs));
    const type = eventTypeOf(before, after, payment);
    if (type !== undefined) events.push({ type, invoice: after, payment: eventPaymentOf(payment) });
  }
  await saveInvoices(transaction, [...current.values()]);
  await transaction.run(markPaymentsApplied, appliedColumns.parametersOf(ended));
  await followers.settled(transaction, settled);
  // After the followers, which schedule the retries that the events show.
  await appendInvoiceEvents(transaction, events, generateUuid);
}

/** The invoice after one of its payments has ended at `atMs`, in the customer's time. */
function applyPayment(invoice: LockedInvoice, { state, amount }: EndedPayment, atMs: number): LockedInvoice {
  const time = new Date(atMs).toISOString();
  const updated_at = time > invoice.updated_at ? time : invoice.updated_at;
  const next = { ...invoice, version: invoice.version + 1, updated_at };
  if (state !== 'SUCCEEDED') return { ...next, amount_held: invoice.amount_held - amount };
  const amount_paid = invoice.amount_paid + amount;
  if (amount_paid < invoice.total) return { ...next, amount_paid };
  return { ...next, amount_paid, status: 'PAID', paid_at: time };
}

function eventTypeOf(before: LockedInvoice, after: LockedInvoice, { state }: EndedPayment) {
  if (state === 'FAILED') return 'invoice.payment_failed';
  return before.status !== 'PAID' && after.status === 'PAID' ? 'invoice.paid' : undefined;
}

function eventPaymentOf({ transaction_id, failure_code, failure_message }: EndedPayment) {
  return { transactionId: transaction_id, failureCode: failure_code, failureMessage: failure_message };
}

function settledPayment(invoice: LockedInvoice, payment: EndedPayment, atMs: number): SettledPayment {
  return {
    tenantId: invoice.tenant_id,
    invoiceId: invoice.id,
    customerId: invoice.customer_id,
    subscriptionId: invoice.subscription_id,
    invoiceStatus: invoice.status,
    state: payment.state,
    automatic: payment.automatic,
    failureCode: payment.failure_code,
    failureMessage: payment.failure_message,
    atMs,
  };
}

async function saveInvoices(transaction: Queryable, invoices: readonly LockedInvoice[]): Promise<void> {
  const written = await transaction.run(updateSettledInvoices, settledColumns.parametersOf(invoices));
  if (written.length !== invoices.length)
    throw new Error('An invoice could not be settled: its status changed while it was locked.');
}
