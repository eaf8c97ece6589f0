import type { Clock } from '../../../../core/clock.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import type { Retry } from '../../../payments/providers/failures.ts';
import type { DisputeOfInvoice, FollowedDispute } from '../../../payments/transactions/invoice-payments.ts';
import { findReopenPolicy } from '../../sellers/statements.ts';
import { appendInvoiceEvents } from '../events.ts';
import { lockInvoices } from '../lock.ts';
import { unpaidAmountOf } from '../rules.ts';
import type { LockedInvoice } from '../statements.ts';
import { changeDisputedPayment, type DisputedPayment, findDisputedPayment } from './dispute-statements.ts';
import { paidBy } from './excess.ts';
import type { InvoiceFollowers } from './followers.ts';
import { type SettlementDeps, saveInvoices } from './settle.ts';

export interface DisputeSettlementDeps extends Omit<SettlementDeps, 'followers'> {
  clock: Clock;
  followers: Pick<InvoiceFollowers, 'settled' | 'reopened'>;
}

/**
 * Takes what a dispute that is lost has withdrawn from what its payment had paid of an invoice, which is OPEN again if
 * its total is then not covered, and pays it again when the dispute is won. Another payment may have paid it meanwhile:
 * what finds nothing left to pay is an excess of its payment.
 */
export async function settleDispute(
  transaction: Queryable,
  dispute: DisputeOfInvoice,
  deps: DisputeSettlementDeps,
): Promise<FollowedDispute> {
  const { tenantId, invoiceId, transactionId, unpaid } = dispute;
  const nothing = { unpaid, excess: 0 };
  const [invoice] = await lockInvoices(transaction, [{ tenantId, invoiceId }]);
  const [payment] = await transaction.run(findDisputedPayment, [tenantId, invoiceId, transactionId]);
  if (invoice === undefined || payment === undefined) return nothing;
  const target = await takenBy(transaction, dispute, payment);
  if (target === unpaid) return nothing;
  const { applied, excess } = paidBy(Math.max(unpaid - target, 0), Math.max(unpaidAmountOf(invoice), 0));
  await transaction.run(changeDisputedPayment, [tenantId, invoiceId, payment.number, target - unpaid, excess]);
  const change = target > unpaid ? target - unpaid : -applied;
  if (change !== 0) await apply(transaction, invoice, payment, change, dispute, deps);
  return { unpaid: target, excess: excess === 0 ? 0 : payment.excess + excess };
}

/** What the dispute shall have taken: at most what the payment had paid less its refunds, as the tenant wants. */
async function takenBy(
  transaction: Queryable,
  { tenantId, withdrawn, unpaid, reason }: DisputeOfInvoice,
  { amount, excess, disputed, refunded }: DisputedPayment,
): Promise<number> {
  if (withdrawn === 0) return 0;
  const [found] = await transaction.run(findReopenPolicy, [tenantId]);
  const policy = found?.policy ?? 'RETURNED';
  const isReturned = reason === 'returned' || reason === 'not_authorized';
  if (policy === 'NEVER' || (policy === 'RETURNED' && !isReturned)) return unpaid;
  const paid = amount - excess - (disputed - unpaid) - Math.max(refunded - excess, 0);
  return Math.min(withdrawn, Math.max(paid, 0));
}

async function apply(
  transaction: Queryable,
  before: LockedInvoice,
  payment: DisputedPayment,
  change: number,
  { tenantId, invoiceId, transactionId, reason }: DisputeOfInvoice,
  { clock, generateUuid, followers }: DisputeSettlementDeps,
): Promise<void> {
  const atMs = before.clock_now === null ? clock() : Date.parse(before.clock_now);
  const after = afterDispute(before, change, atMs);
  await saveInvoices(transaction, [after]);
  const event = { invoice: after, payment: { transactionId, failureCode: null, failureMessage: null } };
  if (before.status === 'PAID' && after.status === 'OPEN') {
    const retry: Retry = reason === 'not_authorized' ? 'OTHER_METHOD' : 'LATER';
    await followers.reopened(transaction, { tenantId, invoiceId, methodId: payment.method_id, retry, atMs });
    await appendInvoiceEvents(transaction, [{ ...event, type: 'invoice.reopened' }], generateUuid);
  } else if (before.status !== 'PAID' && after.status === 'PAID') {
    const { customer_id: customerId, subscription_id: subscriptionId } = after;
    const settled = {
      ...{ tenantId, invoiceId, customerId, subscriptionId, invoiceStatus: after.status, state: 'SUCCEEDED' as const },
      ...{ automatic: false, failureCode: null, failureMessage: null, methodId: payment.method_id, atMs },
    };
    await followers.settled(transaction, [settled]);
    await appendInvoiceEvents(transaction, [{ ...event, type: 'invoice.paid' }], generateUuid);
  }
}

function afterDispute(invoice: LockedInvoice, change: number, atMs: number): LockedInvoice {
  const time = new Date(atMs).toISOString();
  const updated_at = time > invoice.updated_at ? time : invoice.updated_at;
  const next = { ...invoice, amount_paid: invoice.amount_paid - change, version: invoice.version + 1, updated_at };
  if (invoice.status === 'PAID' && next.amount_paid < invoice.total) return { ...next, status: 'OPEN', paid_at: null };
  if (invoice.status !== 'PAID' && next.amount_paid === invoice.total)
    return { ...next, status: 'PAID', paid_at: time };
  return next;
}
