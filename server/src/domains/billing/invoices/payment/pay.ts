import type { Static } from 'typebox';
import { invalid, notFound, Refusal } from '../../../../core/errors.ts';
import { publicId } from '../../../../core/id.ts';
import type { Principal } from '../../../../core/principal.ts';
import { rule } from '../../../../core/refusal-rules.ts';
import type { Transaction } from '../../../../platform/postgres/database.ts';
import { answerOnce, type IdempotentAnswer } from '../../../../platform/postgres/idempotency-records.ts';
import { appendAudit } from '../../../identity/audit/append.ts';
import { authorizationRefusal } from '../../../payments/channels/capture.ts';
import type { SaveMethod } from '../../../payments/methods/charges.ts';
import { requireAttemptLeft } from '../../../payments/methods/declines.ts';
import { findMethodOfCustomer } from '../../../payments/methods/read.ts';
import { isUsable } from '../../../payments/methods/rules.ts';
import { findMethod } from '../../../payments/methods/statements.ts';
import type { Initiator } from '../../../payments/providers/provider.ts';
import type { StillWaiting } from '../../../payments/transactions/invoice-payments.ts';
import { refusalOf } from '../../../payments/transactions/method-of-payment.ts';
import type { CaptureMethod } from '../../../payments/transactions/record.ts';
import type { BillingApp } from '../../app.ts';
import { customerNowMs } from '../../customers/read.ts';
import { lockInvoices } from '../lock.ts';
import { readInvoice } from '../read.ts';
import { detailOf } from '../record.ts';
import { requirePayableAmount } from '../rules.ts';
import type { paidInvoice, payInput } from '../schema.ts';
import type { LockedInvoice, MethodOfInvoice } from '../statements.ts';
import { paymentRequestOf } from './payment-request.ts';
import { recordPayments, reservedOn } from './reserve.ts';

type PayInput = Static<typeof payInput>;
export type PaidInvoice = Static<typeof paidInvoice>;

const path = '/api/invoice/pay';

/**
 * Creates a payment for the remaining amount of an invoice, or for a part of it. A payment in progress reserves its
 * amount; one that waits for a person does not, and one that waits at a provider is looked up first. The outcome of the
 * payment settles the invoice (settle.ts). With an idempotency key, a repeated request gets the first answer.
 */
export async function payInvoice(
  input: PayInput,
  principal: Principal,
  app: BillingApp,
  idempotencyKey?: string,
): Promise<IdempotentAnswer<PaidInvoice>> {
  const { database, clock } = app;
  const { tenant_id: tenantId } = await readInvoice(database, input.id, principal);
  const realMs = clock();
  const stillWaiting = await app.invoicePayments.lookUpWaiting({ tenantId, invoiceId: input.id });
  const run = async (transaction: Transaction): Promise<PaidInvoice> => {
    const keys = [{ tenantId, invoiceId: input.id }];
    const [invoice] = (await lockInvoices(transaction, keys)) as [LockedInvoice];
    const details = await createPayment(transaction, invoice, input, principal, stillWaiting, app);
    await appendAudit(transaction, principal, { action: 'invoice.pay', tenantId, recordId: input.id, details });
    const [changed] = (await lockInvoices(transaction, keys)) as [LockedInvoice];
    return { invoice: await detailOf(transaction, changed), transactionId: details.transactionId };
  };
  const request = { tenantId, path, key: idempotencyKey, input, nowMs: realMs };
  return answerOnce(database, request, run);
}

async function createPayment(
  transaction: Transaction,
  invoice: LockedInvoice,
  input: PayInput,
  { userId }: Principal,
  stillWaiting: StillWaiting,
  app: BillingApp,
): Promise<{ transactionId: string; amount: number }> {
  const method = await methodFor(transaction, invoice, input);
  const channelId = method?.channel_id ?? input.channelId ?? invoice.channel_id ?? invoice.default_channel_id;
  if (channelId === null) {
    requirePayableAmount(invoice, await reservedOn(transaction, invoice, stillWaiting), input.amount, 'id');
    throw invalid('channelId', rule('channel_needed_of_invoice'));
  }
  const charged = method === null ? {} : ({ methodId: method.id, initiator: 'MERCHANT' } as const);
  const { methodId: _, ...rest } = input;
  const request = { ...rest, ...charged, channelId, userId, stillWaiting };
  const { id, amount } = await payLockedInvoice(transaction, invoice, request, app);
  return { transactionId: publicId('txn', id), amount };
}

/** The method to charge; null: another way to pay, on the channel. */
async function methodFor(
  transaction: Transaction,
  invoice: LockedInvoice,
  { methodId, paymentMethod, channelId }: PayInput,
): Promise<Pick<MethodOfInvoice, 'id' | 'channel_id'> | null> {
  const { tenant_id: tenantId, customer_id: customerId } = invoice;
  if (methodId === undefined) {
    const { method } = invoice;
    const isCharged = paymentMethod === undefined && method !== null && isUsable(method);
    return isCharged && (channelId ?? method.channel_id) === method.channel_id ? method : null;
  }
  if (paymentMethod !== undefined) {
    throw invalid('methodId', rule('not_together', { other: 'paymentMethod' }));
  }
  const row = await findMethodOfCustomer(transaction, methodId, { tenantId, customerId });
  if (row === undefined) throw notFound('payment method', methodId, 'methodId');
  const refusal = refusalOf(row, channelId ?? row.channel_id);
  if (refusal !== undefined) throw refusal;
  return row;
}

/** A payment of an invoice that a user or a payer requests. */
export interface InvoicePaymentInput {
  /** Default: the amount that is left to pay. */
  amount?: number | undefined;
  channelId: number;
  /** The user in whose name the payment is created. */
  userId: number;
  /** The provider's token. Without one, and without a method, the payer chooses. */
  paymentMethod?: string | undefined;
  /** The UUID of the payment method to charge, instead of a token. */
  methodId?: string;
  initiator?: Initiator;
  /** Keep what the payer pays with. */
  save?: SaveMethod;
  /** Default: AUTOMATIC. */
  captureMethod?: CaptureMethod | undefined;
  returnUrl?: string | undefined;
  stillWaiting: StillWaiting;
}

/**
 * Creates a payment of a locked invoice. Returns its UUID and amount. Throws when the channel or the invoice refuses
 * it.
 */
export async function payLockedInvoice(
  transaction: Transaction,
  invoice: LockedInvoice,
  { userId, stillWaiting, ...input }: InvoicePaymentInput,
  app: Pick<BillingApp, 'clock' | 'generateUuid' | 'payments' | 'channels'>,
): Promise<{ id: string; amount: number }> {
  const reserved = await reservedOn(transaction, invoice, stillWaiting);
  const amount = requirePayableAmount(invoice, reserved, input.amount, 'id');
  const nowMs = customerNowMs(invoice, app.clock());
  const { methodId, channelId } = input;
  if (methodId !== undefined) {
    const method = { tenantId: invoice.tenant_id, methodId };
    if (input.captureMethod === 'MANUAL') await requireAuthorizable(transaction, method, channelId, app);
    await requireAttemptLeft(transaction, method, nowMs);
  }
  const request = { ...paymentRequestOf(invoice, app.generateUuid(), amount, channelId, input), userId };
  const [created] = await app.payments.createInTransaction(transaction, [request]);
  if (created instanceof Refusal) throw created;
  const { tenantId, invoiceId, id: transactionId } = request;
  const payment = { tenantId, invoiceId, transactionId, amount, automatic: false };
  await recordPayments(transaction, [payment], nowMs);
  return { id: transactionId, amount };
}

async function requireAuthorizable(
  transaction: Transaction,
  { tenantId, methodId }: { tenantId: number; methodId: string },
  channelId: number,
  { channels }: Pick<BillingApp, 'channels'>,
): Promise<void> {
  const channel = await channels.findInTransaction(transaction, channelId);
  const [method] = await transaction.run(findMethod, [[tenantId], methodId]);
  const refusal = channel && authorizationRefusal(channel, { type: method?.type });
  if (refusal !== undefined) throw refusal;
}
