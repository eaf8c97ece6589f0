import { type DrawUuid, publicId, uuidTimeMs } from '../../../core/id.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { appendEvents, type EventDraft, eventBody } from '../../webhooks/events/append-events.cte.ts';
import { recordOf } from './record.ts';
import { objectIdOf } from './rules.ts';
import type { InvoiceRow } from './statements.ts';

/** The payment named in an event. */
export interface EventPayment {
  /** Null: no payment could be created. */
  transactionId: string | null;
  failureCode: string | null;
  failureMessage: string | null;
}

/**
 * Builds an event with the invoice, without its lines, and the payment that caused it: `transactionId`, and for a failed
 * payment `failureCode` and `failureMessage`. `created` is the real time, also when the customer has a test clock.
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
    livemode: invoice.livemode,
    id,
    type,
    objectId: objectIdOf(invoice.id),
    createdMs,
    body: eventBody({ id, type, createdMs, livemode: invoice.livemode }, JSON.stringify(object)),
  };
}

/** Appends `invoice.paid` events for invoices that are paid without a payment because their total is 0. */
export function appendPaidEvents(
  transaction: Queryable,
  invoices: readonly InvoiceRow[],
  drawUuid: DrawUuid,
): Promise<number> {
  return appendEvents(
    transaction,
    invoices.map((invoice) => eventDraftOf('invoice.paid', invoice, null, drawUuid())),
  );
}
