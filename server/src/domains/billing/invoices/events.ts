import type { EventType } from '../../../core/event-types.ts';
import { type GenerateUuid, publicId } from '../../../core/id.ts';
import { plainArray } from '../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { fallbackOf, retryOf } from '../../payments/providers/failures.ts';
import { appendEvents, type EventDraft, eventDraft } from '../../webhooks/events/append-events.cte.ts';
import { queueMails } from '../customer-mails/queue.ts';
import type { MailOccasion } from '../customer-mails/statements.ts';
import { keyOfRow, mapKeyOf } from './lock.ts';
import { detailsOf, type InvoiceRecord } from './record.ts';
import { objectIdOf } from './rules.ts';
import { findNextPaymentAttempts, type InvoiceRow } from './statements.ts';

export type InvoiceEventType = Extract<EventType, `invoice.${string}`>;

/** The payment named in an event. */
export interface EventPayment {
  /** Null: no payment could be created. */
  transactionId: string | null;
  failureCode: string | null;
  failureMessage: string | null;
}

/** An event to append: the invoice as it is after the change. */
export interface InvoiceEvent {
  type: InvoiceEventType;
  invoice: InvoiceRow;
  /** The payment that caused it; null: the event is about no payment. */
  payment?: EventPayment | null;
}

/**
 * Appends events about invoices and queues the mails to their customers. Call it after the lines, the payments and the
 * schedule of retries are written, because the events show them.
 */
export async function appendInvoiceEvents(
  transaction: Queryable,
  events: readonly InvoiceEvent[],
  generateUuid: GenerateUuid,
): Promise<void> {
  if (events.length === 0) return;
  const invoices = await withNextPaymentAttempts(
    transaction,
    events.map(({ invoice }) => invoice),
  );
  const records = await detailsOf(transaction, invoices);
  await appendEvents(
    transaction,
    events.map((event, i) => invoiceEventDraft(event, records[i] as InvoiceRecord, generateUuid())),
  );
  const occasions = events.flatMap((event, i) => occasionOf(event, invoices[i] as InvoiceRow));
  await queueMails(transaction, occasions, generateUuid);
}

/**
 * The mail that an event causes. Invoices of subscriptions are charged automatically and not mailed (`issueInvoices`).
 * An invoice that is PAID because its total is 0 gets no receipt.
 */
function occasionOf({ type, payment }: InvoiceEvent, invoice: InvoiceRow): MailOccasion[] {
  if (type === 'invoice.finalized' && invoice.status === 'OPEN') return [{ kind: 'INVOICE', invoice }];
  if (type === 'invoice.paid' && payment) return [{ kind: 'RECEIPT', invoice }];
  if (type !== 'invoice.payment_failed') return [];
  return [{ kind: 'PAYMENT_FAILED', invoice, retry: retryOf(payment?.failureCode ?? null) }];
}

/** Rereads the retries, because the rows were read before their subscriptions scheduled them. */
async function withNextPaymentAttempts(transaction: Queryable, invoices: readonly InvoiceRow[]): Promise<InvoiceRow[]> {
  const ofSubscriptions = invoices.filter(({ subscription_id }) => subscription_id !== null);
  if (ofSubscriptions.length === 0) return [...invoices];
  const found = await transaction.run(findNextPaymentAttempts, [
    plainArray(ofSubscriptions.map(({ tenant_id }) => tenant_id)),
    plainArray(ofSubscriptions.map(({ id }) => id)),
  ]);
  const attemptOf = new Map(found.map((row) => [mapKeyOf(keyOfRow(row)), row.at]));
  return invoices.map((row) => ({ ...row, next_payment_attempt: attemptOf.get(mapKeyOf(keyOfRow(row))) ?? null }));
}

/**
 * An event with the invoice as the detail route returns it. `invoice.paid` and `invoice.payment_failed` also name the
 * payment that caused them: `transactionId`, and for a failed payment `failureCode` and `failureMessage`. `created` is
 * the real time, even when the customer has a test clock.
 */
export function invoiceEventDraft(
  { type, invoice, payment }: InvoiceEvent,
  record: InvoiceRecord,
  id: string,
): EventDraft {
  const object = {
    ...record,
    ...((type === 'invoice.paid' || type === 'invoice.payment_failed') && {
      transactionId: payment?.transactionId ? publicId('txn', payment.transactionId) : null,
      failureCode: payment?.failureCode ?? null,
      failureMessage: payment?.failureMessage ?? null,
      fallback: fallbackOf(payment?.failureCode ?? null),
      retry: retryOf(payment?.failureCode ?? null),
    }),
  };
  const { tenant_id: tenantId, livemode } = invoice;
  return eventDraft(type, { tenantId, livemode, objectId: objectIdOf(invoice.id), object }, id);
}
