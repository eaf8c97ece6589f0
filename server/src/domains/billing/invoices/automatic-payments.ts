import { Refusal } from '../../../core/errors.ts';
import type { DrawUuid } from '../../../core/id.ts';
import { plainArray, textArray } from '../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { planOnce } from '../../../platform/postgres/plan-once.ts';
import type { PaymentRequest, PaymentWriter } from '../../payments/transactions/create.ts';
import { recordEvents } from '../../webhooks/events/append-events.cte.ts';
import { eventDraftOf } from './events.ts';
import { numberText, unreservedAmountOf } from './rules.ts';
import { insertFailedPayments, type LockedInvoice, lockInvoiceRows, reservePayments } from './statements.ts';
import { isPayable } from './states.ts';

export function paymentRequestOf(
  invoice: LockedInvoice,
  id: string,
  amount: number,
  channelId: number,
  changes: { paymentMethod?: string | undefined; returnUrl?: string | undefined } = {},
): PaymentRequest {
  return {
    id,
    tenantId: invoice.tenant_id,
    userId: invoice.user_id,
    amount,
    currency: invoice.currency,
    channelId,
    customerId: invoice.customer_id,
    invoiceId: invoice.id,
    description: numberText(invoice.number as number),
    metadata: invoice.metadata,
    paymentMethod: changes.paymentMethod ?? invoice.payment_method,
    returnUrl: changes.returnUrl ?? null,
  };
}

/** What holding takes: a payment's id, and what of which invoice. */
export interface Reservation {
  tenantId: number;
  invoiceId: number;
  transactionId: string;
  amount: number;
  automatic: boolean;
}

/** Holds what payments take, of invoices whose locks are held; at most one payment of each. */
export async function reserveAmounts(
  transaction: Queryable,
  held: readonly Reservation[],
  atMs: number,
): Promise<void> {
  if (held.length === 0) return;
  await planOnce(transaction, held.length);
  await transaction.run(reservePayments, [
    plainArray(held.map(({ tenantId }) => tenantId)),
    plainArray(held.map(({ invoiceId }) => invoiceId)),
    plainArray(held.map(({ transactionId }) => transactionId)),
    plainArray(held.map(({ amount }) => amount)),
    plainArray(held.map(({ automatic }) => automatic)),
    plainArray(held.map(() => atMs)),
  ]);
}

export interface InvoiceKey {
  tenantId: number;
  invoiceId: number;
}

/** What became of asking for a payment: `invoices.settle` tells how an opened one ends. */
export type PaymentAttempt = InvoiceKey &
  (
    | { outcome: 'opened'; transactionId: string }
    /** Another payment of it is under way; its end will be told. */
    | { outcome: 'under_way' }
    /** It is not to be paid any more: paid, void, or none of ours. */
    | { outcome: 'not_payable' }
    /** No payment could be made: written down as a failed one, and told (`invoice.payment_failed`). */
    | { outcome: 'failed'; refusal: Refusal }
  );

/**
 * Pays what is left of many invoices, each by one payment on its channel with its customer's token: in a transaction of the
 * caller's and in at most five statements, however many they are. Payments, what they hold and whatever else the caller
 * writes are committed together, so that a crash can neither lose a payment nor make it twice. The caller wakes the
 * dispatcher when it has committed. `nowMs` is the customers' time. Answers in the order asked.
 */
export async function payInvoices(
  transaction: Queryable,
  wanted: readonly InvoiceKey[],
  nowMs: number,
  { creator, drawUuid }: { creator: PaymentWriter; drawUuid: DrawUuid },
): Promise<PaymentAttempt[]> {
  if (wanted.length === 0) return [];
  const locked = await lockInvoices(transaction, wanted);
  const payable = locked.filter(
    (invoice) =>
      isPayable(invoice.status) && unreservedAmountOf(invoice) > 0 && invoice.amount_held === invoice.amount_paid,
  );
  const asked = payable.flatMap((invoice) => {
    const channelId = invoice.channel_id ?? invoice.default_channel_id;
    return channelId === null ? [] : [paymentRequestOf(invoice, drawUuid(), unreservedAmountOf(invoice), channelId)];
  });
  const refusals = asked.length === 0 ? [] : await creator.createWithin(transaction, asked);
  const opened = asked.filter((_, i) => refusals[i] === undefined);
  await reserveAmounts(
    transaction,
    opened.map(({ tenantId, invoiceId, id, amount }) => ({
      tenantId,
      invoiceId,
      transactionId: id,
      amount,
      automatic: true,
    })),
    nowMs,
  );
  const openedOf = new Map(opened.map((request) => [keyOf(request), request.id]));
  const refusalOf = new Map(asked.map((request, i) => [keyOf(request), refusals[i]]));
  const failed = payable
    .filter((invoice) => !openedOf.has(keyOfRow(invoice)))
    .map((invoice) => ({ invoice, refusal: refusalOf.get(keyOfRow(invoice)) ?? noChannelRefusal() }));
  await recordFailedAttempts(transaction, failed, nowMs, drawUuid);

  const rows = new Map(locked.map((invoice) => [keyOfRow(invoice), invoice]));
  const failures = new Map(failed.map(({ invoice, refusal }) => [keyOfRow(invoice), refusal]));
  return wanted.map(({ tenantId, invoiceId }): PaymentAttempt => {
    const named = { tenantId, invoiceId };
    const key = keyOf(named);
    const transactionId = openedOf.get(key);
    if (transactionId !== undefined) return { ...named, outcome: 'opened', transactionId };
    const refusal = failures.get(key);
    if (refusal !== undefined) return { ...named, outcome: 'failed', refusal };
    const row = rows.get(key);
    const isUnderWay = row !== undefined && isPayable(row.status) && row.amount_held > row.amount_paid;
    return { ...named, outcome: isUnderWay ? 'under_way' : 'not_payable' };
  });
}

const keyOf = ({ tenantId, invoiceId }: InvoiceKey) => `${tenantId}/${invoiceId}`;
const keyOfRow = ({ tenant_id, id }: LockedInvoice) => `${tenant_id}/${id}`;

/** Locks invoices in the order of their keys, each once. Those that are not ours are left out. */
export function lockInvoices(transaction: Queryable, wanted: readonly InvoiceKey[]): Promise<LockedInvoice[]> {
  const ordered = [...new Map(wanted.map((key) => [keyOf(key), key])).values()].toSorted(
    (a, b) => a.tenantId - b.tenantId || a.invoiceId - b.invoiceId,
  );
  return transaction.run(lockInvoiceRows, [
    plainArray(ordered.map(({ tenantId }) => tenantId)),
    plainArray(ordered.map(({ invoiceId }) => invoiceId)),
  ]);
}

function noChannelRefusal(): Refusal {
  return new Refusal('invalid_request', 'Neither the invoice nor its customer names a channel to pay through.', {
    field: 'channelId',
  });
}

async function recordFailedAttempts(
  transaction: Queryable,
  failed: readonly { invoice: LockedInvoice; refusal: Refusal }[],
  nowMs: number,
  drawUuid: DrawUuid,
): Promise<void> {
  if (failed.length === 0) return;
  await transaction.run(insertFailedPayments, [
    plainArray(failed.map(({ invoice }) => invoice.tenant_id)),
    plainArray(failed.map(({ invoice }) => invoice.id)),
    plainArray(failed.map(({ invoice }) => unreservedAmountOf(invoice))),
    textArray(failed.map(({ refusal }) => refusal.type)),
    textArray(failed.map(({ refusal }) => refusal.message)),
    plainArray(failed.map(() => nowMs)),
  ]);
  const now = new Date(nowMs).toISOString();
  await recordEvents(
    transaction,
    failed.map(({ invoice, refusal: { type, message } }) => {
      const payment = { transactionId: null, failureCode: type, failureMessage: message };
      const updated_at = now > invoice.updated_at ? now : invoice.updated_at;
      const after = { ...invoice, version: invoice.version + 1, updated_at };
      return eventDraftOf('invoice.payment_failed', after, payment, drawUuid());
    }),
  );
}
