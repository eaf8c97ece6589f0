import { type DrawUuid, publicId, uuidTimeMs } from '../../../core/id.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { type EventDraft, eventBody, recordEvents } from '../../webhooks/events/append-events.cte.ts';
import { recordOf } from './record.ts';
import { objectIdOf } from './rules.ts';
import type { InvoiceRow } from './statements.ts';

/** The payment that an event tells of. */
export interface EventPayment {
  /** Null: none could be made at all. */
  transactionId: string | null;
  failureCode: string | null;
  failureMessage: string | null;
}

/**
 * What is told of an invoice: the invoice without its lines, and the payment that brought it about: `transactionId`, and of
 * a failed one `failureCode` and `failureMessage`. An event's own time is that of this service, also where the customer has
 * a test clock.
 */
export function eventDraftOf(
  type: 'invoice.paid' | 'invoice.payment_failed',
  invoice: InvoiceRow,
  payment: EventPayment | null,
  id: string,
): EventDraft {
  const createdMs = uuidTimeMs(id);
  const object = {
    ...recordOf(invoice),
    transactionId: payment?.transactionId ? publicId('txn', payment.transactionId) : null,
    failureCode: payment?.failureCode ?? null,
    failureMessage: payment?.failureMessage ?? null,
  };
  return {
    tenantId: invoice.tenant_id,
    id,
    type,
    objectId: objectIdOf(invoice.id),
    createdMs,
    body: eventBody(id, type, createdMs, JSON.stringify(object)),
  };
}

/** Tells of invoices that are paid without any payment, since nothing is due on them. */
export function appendPaidEvents(
  transaction: Queryable,
  invoices: readonly InvoiceRow[],
  drawUuid: DrawUuid,
): Promise<number> {
  return recordEvents(
    transaction,
    invoices.map((invoice) => eventDraftOf('invoice.paid', invoice, null, drawUuid())),
  );
}
