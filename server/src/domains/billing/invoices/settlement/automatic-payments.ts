import { Refusal } from '../../../../core/errors.ts';
import type { GenerateUuid } from '../../../../core/id.ts';
import type { Queryable, Transaction } from '../../../../platform/postgres/database.ts';
import { lockedAttemptsLeft } from '../../../payments/methods/declines.ts';
import { debitTypes, isUsable } from '../../../payments/methods/rules.ts';
import { providersAnnouncingDebits } from '../../../payments/providers/directory.ts';
import { failure } from '../../../payments/providers/failures.ts';
import type { Payments } from '../../../payments/transactions/payments.ts';
import type { PaymentRow } from '../../../payments/transactions/record.ts';
import { queueMails } from '../../customer-mails/queue.ts';
import type { AnnouncedDebit } from '../../customer-mails/statements.ts';
import { appendInvoiceEvents } from '../events.ts';
import { type InvoiceKey, keyOfRow, mapKeyOf, openPaymentsOf } from '../lock.ts';
import { paymentRequestOf } from '../payment/payment-request.ts';
import { recordPayments } from '../payment/reserve.ts';
import { isReserving, unpaidAmountOf } from '../rules.ts';
import {
  failedPaymentColumns,
  type InvoiceRow,
  insertFailedPayments,
  type LockedInvoice,
  type MethodOfInvoice,
} from '../statements.ts';

/** The result of one attempt to pay an invoice. `InvoiceFollowers.settled` reports how payments end. */
export type PaymentAttempt = InvoiceKey &
  (
    | { outcome: 'opened'; transactionId: string }
    /** Another payment of the invoice is in progress, or an automatic one waits for a person. */
    | { outcome: 'under_way' }
    /** The invoice is paid, void or unknown. */
    | { outcome: 'not_payable' }
    /** Nothing is sent: the only method there is was refused before, and must not be charged again. */
    | { outcome: 'withheld' }
    /** Nothing is sent now: the method's network allows no further attempt yet. */
    | { outcome: 'skipped' }
    /** Nothing is sent now: the customer's method is being set up. */
    | { outcome: 'awaited' }
    /** Nothing is sent now: a debit with this method was announced, and is sent when its notice is over. */
    | { outcome: 'announced'; methodId: string; debitMs: number }
    /** No payment could be created. The invoice records a failed payment. */
    | { outcome: 'failed'; failure: AttemptFailure; invoice: InvoiceRow }
  );

/** Why no payment could be created: a code of the catalogue, or the type of a refusal. */
interface AttemptFailure {
  code: string;
  message: string;
}

export interface PayInvoicesDeps {
  payments: Pick<Payments, 'createInTransaction'>;
  generateUuid: GenerateUuid;
  /** How long before it is sent a debit is announced, where its provider does not. Default: it is not. */
  debitNoticeMs?: number;
}

/** What earlier attempts say of methods, by the key of the invoice (`mapKeyOf`). */
export interface EarlierAttempts {
  /** Methods that must not be charged again. */
  refusedMethods: ReadonlyMap<string, string>;
  /** Methods whose debit is announced. */
  announcedMethods: ReadonlyMap<string, string>;
  /** Invoices of which nothing was tried yet: they wait for a method that is being set up. */
  firstAttempts: ReadonlySet<string>;
}

const noAttempts: EarlierAttempts = {
  refusedMethods: new Map(),
  announcedMethods: new Map(),
  firstAttempts: new Set(),
};

/**
 * Pays the remaining amounts of many invoices: one payment for each, of the payment method of its subscription or of
 * its customer, without the payer (`wayToPay`). Runs in the caller's transaction, which has locked the invoices
 * (`lockInvoices`). The payments are committed together with the caller's writes, so that a crash neither loses nor
 * repeats a payment. A customer is mailed the invoice when its payment waits for a bank transfer, or for a debit.
 * `nowMs` is the customers' time. Returns one attempt for each wanted invoice, in that order. The caller schedules the
 * retries of failed payments and then appends their events (`appendFailureEvents`).
 */
export async function payInvoices(
  transaction: Transaction,
  wanted: readonly InvoiceKey[],
  locked: readonly LockedInvoice[],
  nowMs: number,
  { payments, generateUuid, debitNoticeMs = 0 }: PayInvoicesDeps,
  earlier = noAttempts,
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
  const ways = await waysToPay(transaction, payable, { ...earlier, debitNoticeMs, nowMs });
  const wayOf = (invoice: LockedInvoice) => ways.get(mapKeyOf(keyOfRow(invoice))) as WayToPay;
  const requests = payable.flatMap((invoice) => {
    const way = wayOf(invoice);
    if (!('channelId' in way)) return [];
    const { channelId, ...changes } = way;
    const request = paymentRequestOf(invoice, generateUuid(), unpaidAmountOf(invoice), channelId, changes);
    return [{ ...request, background: true }];
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
    const way = wayOf(invoice);
    if ('failure' in way) return [{ invoice, failure: way.failure }];
    const refusal = createdOf.get(mapKeyOf(keyOfRow(invoice)));
    if (!(refusal instanceof Refusal)) return [];
    return [{ invoice, failure: { code: refusal.type, message: refusal.message } }];
  });
  await recordFailedAttempts(transaction, failed, nowMs);

  const invoiceOf = new Map(invoices.map((invoice) => [mapKeyOf(keyOfRow(invoice)), invoice]));
  const waiting = payable.filter((invoice) => isAwaitingTransfer(createdOf.get(mapKeyOf(keyOfRow(invoice)))));
  const announced = payable.flatMap((invoice) => {
    const way = wayOf(invoice);
    return 'debit' in way ? [{ kind: 'DEBIT' as const, invoice, debit: way.debit }] : [];
  });
  const mails = [...waiting.map((invoice) => ({ kind: 'INVOICE' as const, invoice })), ...announced];
  await queueMails(transaction, mails, generateUuid);
  const failureOf = new Map(failed.map((one) => [mapKeyOf(keyOfRow(one.invoice)), one]));
  return wanted.map(({ tenantId, invoiceId }): PaymentAttempt => {
    const invoiceKey = { tenantId, invoiceId };
    const key = mapKeyOf(invoiceKey);
    const transactionId = openedOf.get(key);
    if (transactionId !== undefined) return { ...invoiceKey, outcome: 'opened', transactionId };
    if (ways.get(key) === withheld) return { ...invoiceKey, outcome: 'withheld' };
    const way = ways.get(key);
    if (way === skipped) return { ...invoiceKey, outcome: 'skipped' };
    if (way === awaited) return { ...invoiceKey, outcome: 'awaited' };
    if (way !== undefined && 'debit' in way) {
      const { methodId, atMs: debitMs } = way.debit;
      return { ...invoiceKey, outcome: 'announced', methodId, debitMs };
    }
    const failure = failureOf.get(key);
    if (failure !== undefined) {
      return {
        ...invoiceKey,
        outcome: 'failed',
        failure: failure.failure,
        invoice: afterFailure(failure.invoice, nowMs),
      };
    }
    const invoice = invoiceOf.get(key);
    const hasPayment = invoice !== undefined && unpaidAmountOf(invoice) > 0;
    return { ...invoiceKey, outcome: hasPayment ? 'under_way' : 'not_payable' };
  });
}

type WayToPay =
  | { channelId: number; methodId?: string; initiator?: 'MERCHANT' }
  | { failure: AttemptFailure }
  | { debit: AnnouncedDebit & { methodId: string } }
  | typeof withheld
  | typeof skipped
  | typeof awaited;

const withheld = { withheld: true } as const;
const skipped = { skipped: true } as const;
const awaited = { awaited: true } as const;

/** How each invoice is paid, by its key. */
async function waysToPay(
  transaction: Transaction,
  invoices: readonly LockedInvoice[],
  {
    refusedMethods,
    announcedMethods,
    firstAttempts,
    debitNoticeMs,
    nowMs,
  }: EarlierAttempts & { debitNoticeMs: number; nowMs: number },
): Promise<Map<string, WayToPay>> {
  const ways = invoices.map((invoice) => {
    const key = keyOfRow(invoice);
    const way = wayToPay(invoice, refusedMethods.get(mapKeyOf(key)));
    const { method } = invoice;
    const isAwaited = method === null && invoice.is_method_being_set_up && firstAttempts.has(mapKeyOf(key));
    if (isAwaited && 'failure' in way) return { key, way: awaited };
    const isNewDebit =
      'methodId' in way && method !== null && isAnnounced(method) && announcedMethods.get(mapKeyOf(key)) !== method.id;
    if (!isNewDebit || debitNoticeMs === 0) return { key, way };
    const debit = { methodId: method.id, atMs: nowMs + debitNoticeMs, mandateReference: method.mandate_reference };
    return { key, way: { debit } };
  });
  const charged = ways.flatMap(({ key: { tenantId }, way }) =>
    'methodId' in way && way.methodId !== undefined ? [{ tenantId, methodId: way.methodId }] : [],
  );
  const attemptsLeft = await lockedAttemptsLeft(transaction, charged, nowMs);
  /** Counts this charge, too: several invoices may be paid with one method. */
  const isReached = (way: WayToPay) => {
    const attempts = 'methodId' in way && way.methodId !== undefined ? attemptsLeft.get(way.methodId) : undefined;
    return attempts !== undefined && attempts.left-- <= 0;
  };
  return new Map(ways.map(({ key, way }) => [mapKeyOf(key), isReached(way) ? skipped : way]));
}

/** Whether Florin announces the debits of a method. */
const isAnnounced = ({ type, provider }: MethodOfInvoice) =>
  debitTypes.has(type) && !providersAnnouncingDebits.has(provider);

/**
 * How an invoice is paid without its payer: the method decides the channel. Without one, a channel without a provider
 * waits for the money, and at any other one nothing is sent, because nobody is there who could pay.
 */
function wayToPay(invoice: LockedInvoice, refusedMethodId: string | undefined): WayToPay {
  const { method, offline_channel_id: offlineChannelId } = invoice;
  if (offlineChannelId !== null) return { channelId: offlineChannelId };
  if (method !== null) {
    if (!isUsable(method)) return { failure: missingMethod };
    if (method.id === refusedMethodId) return withheld;
    return { channelId: method.channel_id, methodId: method.id, initiator: 'MERCHANT' };
  }
  const channelId = invoice.channel_id ?? invoice.default_channel_id;
  if (channelId === null) return { failure: noChannel };
  return invoice.has_provider ? { failure: missingMethod } : { channelId };
}

const missingMethod: AttemptFailure = failure('payment_method_missing');

const noChannel: AttemptFailure = {
  code: 'invalid_request',
  message: 'Neither the invoice nor its customer names a channel to pay through.',
};

const isAwaitingTransfer = (created: Refusal | PaymentRow | undefined) =>
  created !== undefined && !(created instanceof Refusal) && created.provider === null;

async function recordFailedAttempts(
  transaction: Queryable,
  failed: readonly { invoice: LockedInvoice; failure: AttemptFailure }[],
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
  const events = failed.map(({ invoice, failure: { code: failureCode, message: failureMessage } }) => ({
    type: 'invoice.payment_failed' as const,
    invoice,
    payment: { transactionId: null, failureCode, failureMessage },
  }));
  await appendInvoiceEvents(transaction, events, generateUuid);
}
