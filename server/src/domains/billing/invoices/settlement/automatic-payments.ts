import { Refusal } from '../../../../core/errors.ts';
import type { GenerateUuid } from '../../../../core/id.ts';
import type { Queryable, Transaction } from '../../../../platform/postgres/database.ts';
import type { Payments } from '../../../payments/transactions/payments.ts';
import type { PaymentRow } from '../../../payments/transactions/record.ts';
import { queueMails } from '../../customer-mails/queue.ts';
import { appendInvoiceEvents } from '../events.ts';
import { type InvoiceKey, keyOfRow, mapKeyOf, openPaymentsOf } from '../lock.ts';
import { paymentRequestOf } from '../payment/payment-request.ts';
import { recordPayments } from '../payment/reserve.ts';
import { isReserving, unpaidAmountOf } from '../rules.ts';
import { failedPaymentColumns, type InvoiceRow, insertFailedPayments, type LockedInvoice } from '../statements.ts';

/** The result of one attempt to pay an invoice. `InvoiceFollowers.settled` reports how payments end. */
export type PaymentAttempt = InvoiceKey &
  (
    | { outcome: 'opened'; transactionId: string }
    /** Another payment of the invoice is in progress, or an automatic one waits for a person. */
    | { outcome: 'under_way' }
    /** The invoice is paid, void or unknown. */
    | { outcome: 'not_payable' }
    /** No payment could be created. The invoice records a failed payment. */
    | { outcome: 'failed'; refusal: Refusal; invoice: InvoiceRow }
  );

/**
 * Pays the remaining amounts of many invoices: one payment for each, on the invoice's channel, with the customer's
 * stored payment method. Runs in the caller's transaction, which has locked the invoices (`lockInvoices`). The payments
 * are committed together with the caller's writes, so that a crash neither loses nor repeats a payment. A customer is
 * mailed the invoice when its payment waits for a bank transfer. `nowMs` is the customers' time. Returns one attempt
 * for each wanted invoice, in that order. The caller schedules the retries of failed payments and then appends their
 * events (`appendFailureEvents`).
 */
export async function payInvoices(
  transaction: Transaction,
  wanted: readonly InvoiceKey[],
  locked: readonly LockedInvoice[],
  nowMs: number,
  { payments, generateUuid }: { payments: Pick<Payments, 'createInTransaction'>; generateUuid: GenerateUuid },
): Promise<PaymentAttempt[]> {
  if (wanted.length === 0) return [];
  const wantedKeys = new Set(wanted.map(mapKeyOf));
  const invoices = locked.filter((invoice) => wantedKeys.has(mapKeyOf(keyOfRow(invoice))));
  const open = await openPaymentsOf(transaction, invoices);
  // A payment that waits for its payer hinders no other one: if both take money, one of them is given back.
  const isUnderWay = (invoice: LockedInvoice) =>
    open
      .get(mapKeyOf(keyOfRow(invoice)))
      ?.some((payment) => payment.automatic || (!payment.waits_for_payer && isReserving(payment, new Set()))) ?? false;
  const payable = invoices.filter((invoice) => unpaidAmountOf(invoice) > 0 && !isUnderWay(invoice));
  const requests = payable.flatMap((invoice) => {
    const channelId = invoice.channel_id ?? invoice.default_channel_id;
    return channelId === null
      ? []
      : [{ ...paymentRequestOf(invoice, generateUuid(), unpaidAmountOf(invoice), channelId), background: true }];
  });
  const created = requests.length === 0 ? [] : await payments.createInTransaction(transaction, requests);
  const opened = requests.filter((_, i) => !(created[i] instanceof Refusal));
  await recordPayments(
    transaction,
    opened.map(({ tenantId, invoiceId, id: transactionId, amount }) => ({
      tenantId,
      invoiceId,
      transactionId,
      amount,
      automatic: true,
    })),
    nowMs,
  );
  const openedOf = new Map(opened.map((request) => [mapKeyOf(request), request.id]));
  const createdOf = new Map(requests.map((request, i) => [mapKeyOf(request), created[i]]));
  const failed = payable.flatMap((invoice) => {
    const key = mapKeyOf(keyOfRow(invoice));
    const refusal = createdOf.get(key) ?? noChannelRefusal();
    return refusal instanceof Refusal ? [{ invoice, refusal }] : [];
  });
  await recordFailedAttempts(transaction, failed, nowMs);

  const invoiceOf = new Map(invoices.map((invoice) => [mapKeyOf(keyOfRow(invoice)), invoice]));
  const waiting = payable.filter((invoice) => isAwaitingTransfer(createdOf.get(mapKeyOf(keyOfRow(invoice)))));
  const mails = waiting.map((invoice) => ({ kind: 'INVOICE' as const, invoice }));
  await queueMails(transaction, mails, generateUuid);
  const failureOf = new Map(failed.map((failure) => [mapKeyOf(keyOfRow(failure.invoice)), failure]));
  return wanted.map(({ tenantId, invoiceId }): PaymentAttempt => {
    const invoiceKey = { tenantId, invoiceId };
    const key = mapKeyOf(invoiceKey);
    const transactionId = openedOf.get(key);
    if (transactionId !== undefined) return { ...invoiceKey, outcome: 'opened', transactionId };
    const failure = failureOf.get(key);
    if (failure !== undefined) {
      const { refusal, invoice } = failure;
      return { ...invoiceKey, outcome: 'failed', refusal, invoice: afterFailure(invoice, nowMs) };
    }
    const invoice = invoiceOf.get(key);
    const hasPayment = invoice !== undefined && unpaidAmountOf(invoice) > 0;
    return { ...invoiceKey, outcome: hasPayment ? 'under_way' : 'not_payable' };
  });
}

const isAwaitingTransfer = (created: Refusal | PaymentRow | undefined) =>
  created !== undefined && !(created instanceof Refusal) && created.provider === null;

function noChannelRefusal(): Refusal {
  return new Refusal('invalid_request', 'Neither the invoice nor its customer names a channel to pay through.', {
    field: 'channelId',
  });
}

async function recordFailedAttempts(
  transaction: Queryable,
  failed: readonly { invoice: LockedInvoice; refusal: Refusal }[],
  nowMs: number,
): Promise<void> {
  if (failed.length === 0) return;
  const payments = failed.map((attempt) => ({ ...attempt, amount: unpaidAmountOf(attempt.invoice), atMs: nowMs }));
  await transaction.run(insertFailedPayments, failedPaymentColumns.parametersOf(payments));
}

/** The invoice after the statement of `recordFailedAttempts`, without reading it back. */
function afterFailure(invoice: LockedInvoice, nowMs: number): InvoiceRow {
  const now = new Date(nowMs).toISOString();
  return {
    ...invoice,
    payments: invoice.payments + 1,
    version: invoice.version + 1,
    updated_at: now > invoice.updated_at ? now : invoice.updated_at,
  };
}

/** Appends an `invoice.payment_failed` event for each failed attempt, with the time of the next one. */
export async function appendFailureEvents(
  transaction: Queryable,
  attempts: readonly PaymentAttempt[],
  generateUuid: GenerateUuid,
): Promise<void> {
  const failed = attempts.filter((attempt) => attempt.outcome === 'failed');
  const events = failed.map(({ invoice, refusal: { type: failureCode, message: failureMessage } }) => ({
    type: 'invoice.payment_failed' as const,
    invoice,
    payment: { transactionId: null, failureCode, failureMessage },
  }));
  await appendInvoiceEvents(transaction, events, generateUuid);
}
