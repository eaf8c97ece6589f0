import type { GenerateUuid } from '../../../../core/id.ts';
import { plainArray } from '../../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { appendInvoiceEvents, type InvoiceEvent } from '../events.ts';
import { keyOfRow, lockInvoices, mapKeyOf } from '../lock.ts';
import { unpaidAmountOf } from '../rules.ts';
import type { LockedInvoice } from '../statements.ts';
import { type Excess, paidBy } from './excess.ts';
import type { InvoiceFollowers, SettledPayment } from './followers.ts';
import { contestHoldsOf } from './hold-statements.ts';
import {
  type EndedPayment,
  endColumns,
  endPayments,
  type SettledEnd,
  settledColumns,
  updateSettledInvoices,
} from './settle-statements.ts';

export interface SettlementDeps {
  generateUuid: GenerateUuid;
  followers: Pick<InvoiceFollowers, 'settled'>;
  /** Gives the money back if the payment's channel can. Returns the amount that is left to give back. */
  settleExcess: (transaction: Queryable, excess: Excess) => Promise<number>;
}

/**
 * Settles payments that have ended on their invoices, which the transaction has locked: a successful payment pays what
 * is left to pay, and what it took beyond that is given back. A fully paid invoice becomes PAID with one `invoice.paid`
 * event; each failed payment gets an `invoice.payment_failed` event. A cancelled payment has not failed.
 */
export async function settlePayments(
  transaction: Queryable,
  ended: readonly EndedPayment[],
  { generateUuid, followers, settleExcess }: SettlementDeps,
): Promise<void> {
  if (ended.length === 0) return;
  const keys = ended.map(({ tenant_id, invoice_id }) => ({ tenantId: tenant_id, invoiceId: invoice_id }));
  // Locked already, but perhaps read before payments of the same invoices were settled.
  const invoices = await lockInvoices(transaction, keys);
  const current = new Map(invoices.map((invoice) => [mapKeyOf(keyOfRow(invoice)), invoice]));
  const changes = ended.map((payment, i) => {
    const key = mapKeyOf(keys[i] as (typeof keys)[number]);
    const before = current.get(key) as LockedInvoice;
    const atMs = Date.parse(before.clock_now ?? payment.finished_at);
    const { after, excess } = applyPayment(before, payment, atMs);
    current.set(key, after);
    const totalExcess = payment.excessBefore + excess;
    return { payment: { ...payment, excess, totalExcess }, before, after, atMs };
  });
  await saveInvoices(transaction, [...current.values()]);
  const ends = changes.map(({ payment }) => payment);
  await transaction.run(endPayments, endColumns.parametersOf(ends));
  await contestHolds(transaction, changes);
  for (const { payment, after } of changes) {
    // What captures took beyond the invoice can be given back once the payment has succeeded.
    if (payment.ends && payment.totalExcess > 0) {
      after.amount_to_return += await settleExcess(transaction, excessOf(payment));
    }
  }
  await followers.settled(
    transaction,
    changes.filter(isSettled).map(({ after, payment, atMs }) => settledPayment(after, payment, atMs)),
  );
  // After the followers, which schedule the retries that the events show.
  await appendInvoiceEvents(transaction, changes.flatMap(eventsOf), generateUuid);
}

interface SettledChange {
  payment: SettledEnd & { totalExcess: number };
  before: LockedInvoice;
  after: LockedInvoice;
}

/** What is authorized for an invoice finds nothing left once the invoice is paid. */
async function contestHolds(transaction: Queryable, changes: readonly SettledChange[]): Promise<void> {
  const paid = changes.filter(isPaid).map(({ after }) => after);
  if (paid.length === 0) return;
  const keys = [plainArray(paid.map(({ tenant_id }) => tenant_id)), plainArray(paid.map(({ id }) => id))];
  await transaction.run(contestHoldsOf, keys);
}

/** The invoice after one of its payments has ended at `atMs`, in the customer's time. */
function applyPayment(
  invoice: LockedInvoice,
  { state, takes }: EndedPayment,
  atMs: number,
): { after: LockedInvoice; excess: number } {
  const time = new Date(atMs).toISOString();
  const updated_at = time > invoice.updated_at ? time : invoice.updated_at;
  const next = { ...invoice, version: invoice.version + 1, updated_at };
  if (state !== 'SUCCEEDED') return { after: next, excess: 0 };
  const { applied, excess } = paidBy(takes, unpaidAmountOf(invoice));
  const amount_paid = invoice.amount_paid + applied;
  if (applied === 0 || amount_paid < invoice.total) return { after: { ...next, amount_paid }, excess };
  return { after: { ...next, amount_paid, status: 'PAID', paid_at: time }, excess };
}

/** Whether others have to know: the payment has ended, or a capture has paid the invoice. */
const isSettled = (change: SettledChange) => change.payment.ends || isPaid(change);

const isPaid = ({ before, after }: SettledChange) => before.status !== 'PAID' && after.status === 'PAID';

const excessOf = ({ tenant_id, invoice_id, transaction_id, totalExcess }: SettledChange['payment']): Excess => ({
  tenantId: tenant_id,
  invoiceId: invoice_id,
  transactionId: transaction_id,
  amount: totalExcess,
});

function eventsOf(change: SettledChange): InvoiceEvent[] {
  const { after, payment } = change;
  const { transaction_id: transactionId, failure_code: failureCode, failure_message: failureMessage } = payment;
  const event = { invoice: after, payment: { transactionId, failureCode, failureMessage } };
  if (payment.state === 'FAILED') return [{ ...event, type: 'invoice.payment_failed' }];
  return isPaid(change) ? [{ ...event, type: 'invoice.paid' }] : [];
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
    methodId: payment.method_id,
    atMs,
  };
}

export async function saveInvoices(transaction: Queryable, invoices: readonly LockedInvoice[]): Promise<void> {
  const written = await transaction.run(updateSettledInvoices, settledColumns.parametersOf(invoices));
  if (written.length !== invoices.length)
    throw new Error('An invoice could not be settled: its status changed while it was locked.');
}
