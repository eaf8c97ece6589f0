import { Refusal } from '../../../core/errors.ts';
import { publicId } from '../../../core/id.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Transaction } from '../../../platform/postgres/database.ts';
import { appendAudit, type RequestOrigin } from '../../identity/audit/append.ts';
import type { SaveMethod } from '../../payments/methods/charges.ts';
import type { StillWaiting } from '../../payments/transactions/invoice-payments.ts';
import type { CaptureMethod } from '../../payments/transactions/record.ts';
import type { BillingApp } from '../app.ts';
import { lockInvoices } from '../invoices/lock.ts';
import { type InvoicePaymentInput, payLockedInvoice } from '../invoices/payment/pay.ts';
import type { LockedInvoice } from '../invoices/statements.ts';
import { contestPayments, findOpenPayments } from './contested-statements.ts';
import { payer } from './payer.ts';
import { hashOfToken, isWaiting, maximumPayments, newToken, statusOf } from './rules.ts';
import { type CheckoutOnPage, findByToken, insertCheckoutPayment, lockByToken } from './statements.ts';

/** What the payer has chosen. */
export interface PayerChoice {
  channelId: number;
  /** How many payments the page showed, if the payer pays in another way besides one that waits; null: no. */
  besides: number | null;
  stillWaiting: StillWaiting;
  /** The customer's payment method that the payer chose, by its UUID; its channel is `channelId`. */
  methodId?: string;
  /** Keep what the payer pays with. */
  save?: SaveMethod;
}

/**
 * Creates a payment of a checkout on one of its channels, if it is still OPEN. The checkout is locked, so that a second
 * click or a second payer finds the first payment and creates none. Another payment is possible after the previous one
 * has failed, and while the previous one waits for a person: the first money pays the checkout or its invoice, and what
 * comes second is given back. Throws when the channel or the invoice refuses the payment.
 */
export async function payCheckout(
  transaction: Transaction,
  tokenHash: Buffer,
  { channelId, besides, stillWaiting, methodId, save }: PayerChoice,
  origin: RequestOrigin,
  app: BillingApp,
): Promise<void> {
  const nowMs = app.clock();
  await transaction.run(lockByToken, [tokenHash]);
  const [row] = await transaction.run(findByToken, [tokenHash]);
  if (row === undefined || row.payments >= maximumPayments) return;
  const isBesides = besides === row.payments && isWaiting(row) && row.is_payable;
  if (statusOf(row, nowMs) !== 'OPEN' && !isBesides) return;
  if (methodId === undefined ? !row.channel_ids.includes(channelId) : !row.offers_methods) {
    throw new Refusal('invalid_request', rule('channel_not_offered'), { field: 'channel' });
  }
  const { tenant_id: tenantId, id } = row;
  const open = row.invoice_id === null ? await transaction.run(findOpenPayments, [tenantId, id]) : [];
  if (!open.every(({ provider, transaction_id }) => provider === null || stillWaiting.has(transaction_id))) return;
  const returnToken = newToken();
  const returnUrl = `${app.publicUrl}/p/return/${returnToken}`;
  const how = {
    ...(methodId !== undefined && { methodId }),
    ...(save !== undefined && { save }),
    ...(row.capture_method !== null && { captureMethod: row.capture_method }),
  };
  const transactionId =
    row.invoice_id === null
      ? await payAmount(transaction, row, { channelId, returnUrl, ...how }, app)
      : await payInvoice(transaction, row, row.invoice_id, { channelId, stillWaiting, returnUrl, ...how }, app);
  const values = [tenantId, id, row.payments + 1, transactionId, hashOfToken(returnToken), nowMs];
  await transaction.run(insertCheckoutPayment, values);
  if (open.length > 0) await transaction.run(contestPayments, [tenantId, id]);
  const actor = { ...payer, ...origin };
  const details = { transactionId: publicId('txn', transactionId), channelId };
  await appendAudit(transaction, actor, { action: 'checkout.pay', tenantId, recordId: id, details });
}

async function payAmount(
  transaction: Transaction,
  row: CheckoutOnPage,
  request: { channelId: number; returnUrl: string; save?: SaveMethod; captureMethod?: CaptureMethod },
  { generateUuid, payments }: BillingApp,
): Promise<string> {
  const id = generateUuid();
  const [created] = await payments.createInTransaction(transaction, [
    {
      id,
      tenantId: row.tenant_id,
      livemode: row.livemode,
      userId: row.user_id,
      amount: row.amount as number,
      currency: row.currency,
      customerId: row.customer_id,
      invoiceId: null,
      description: row.description,
      metadata: row.metadata,
      paymentMethod: null,
      ...request,
    },
  ]);
  if (created instanceof Refusal) throw created;
  return id;
}

/** Only a method that the payer chose is charged: the payer may be somebody else who has the link. */
async function payInvoice(
  transaction: Transaction,
  { tenant_id: tenantId, user_id: userId }: CheckoutOnPage,
  invoiceId: number,
  request: Omit<InvoicePaymentInput, 'userId'>,
  app: BillingApp,
): Promise<string> {
  const [invoice] = (await lockInvoices(transaction, [{ tenantId, invoiceId }])) as [LockedInvoice];
  return (await payLockedInvoice(transaction, invoice, { ...request, userId }, app)).id;
}
