import type { Static } from 'typebox';
import type { Clock } from '../../../../core/clock.ts';
import { invalid } from '../../../../core/errors.ts';
import { type GenerateUuid, publicId } from '../../../../core/id.ts';
import type { Principal } from '../../../../core/principal.ts';
import type { Database, Transaction } from '../../../../platform/postgres/database.ts';
import { answerOnce, type IdempotentAnswer } from '../../../../platform/postgres/idempotency-records.ts';
import { appendAudit } from '../../../identity/audit/append.ts';
import type { PaymentWriter } from '../../../payments/transactions/payment-writer.ts';
import { customerNowMs } from '../../customers/read.ts';
import { lockInvoices } from '../lock.ts';
import { readInvoice } from '../read.ts';
import { detailOf } from '../record.ts';
import { requirePayableAmount } from '../rules.ts';
import type { paidInvoice, payInput } from '../schema.ts';
import type { LockedInvoice } from '../statements.ts';
import { paymentRequestOf } from './payment-request.ts';
import { reserveAmounts } from './reserve.ts';

type PayInput = Static<typeof payInput>;
export type PaidInvoice = Static<typeof paidInvoice>;

export interface PayInvoiceDeps {
  database: Database;
  clock: Clock;
  generateUuid: GenerateUuid;
  creator: PaymentWriter;
}

const path = '/api/invoice/pay';

/**
 * Creates a payment for the remaining amount of an invoice, or for a part of it. The amount is reserved under the invoice's
 * lock, so that concurrent payments never exceed the invoice. The outcome of the payment settles the invoice (settle.ts).
 * With an idempotency key, a repeated request gets the first answer.
 */
export async function payInvoice(
  input: PayInput,
  principal: Principal,
  deps: PayInvoiceDeps,
  idempotencyKey?: string,
): Promise<IdempotentAnswer<PaidInvoice>> {
  const { database, clock } = deps;
  const { tenant_id: tenantId } = await readInvoice(database, input.id, principal);
  const realMs = clock();
  const run = async (transaction: Transaction): Promise<PaidInvoice> => {
    const keys = [{ tenantId, invoiceId: input.id }];
    const [invoice] = (await lockInvoices(transaction, keys)) as [LockedInvoice];
    const transactionId = await createPayment(transaction, invoice, input, principal, deps);
    const [reserved] = (await lockInvoices(transaction, keys)) as [LockedInvoice];
    const details = { transactionId, amount: reserved.amount_held - invoice.amount_held };
    await appendAudit(transaction, principal, { action: 'invoice.pay', tenantId, recordId: input.id, details });
    return { invoice: await detailOf(transaction, reserved), transactionId };
  };
  const request = { tenantId, path, key: idempotencyKey, input, nowMs: realMs };
  return answerOnce(database, request, run);
}

async function createPayment(
  transaction: Transaction,
  invoice: LockedInvoice,
  input: PayInput,
  { userId }: Principal,
  deps: PayInvoiceDeps,
): Promise<string> {
  const channelId = input.channelId ?? invoice.channel_id ?? invoice.default_channel_id;
  if (channelId === null) {
    requirePayableAmount(invoice, input.amount, 'id');
    throw invalid('channelId', 'channelId is required: neither the invoice nor its customer names a channel.');
  }
  return publicId('txn', await payLockedInvoice(transaction, invoice, { ...input, channelId, userId }, deps));
}

/** A payment of an invoice that a user or a payer requests. */
export interface InvoicePaymentInput {
  /** Default: the amount that is left to pay. */
  amount?: number | undefined;
  channelId: number;
  /** The user in whose name the payment is created. */
  userId: number;
  /** The provider's token. Default: the customer's; null: the payer chooses. */
  paymentMethod?: string | null | undefined;
  returnUrl?: string | undefined;
}

/** Creates a payment of a locked invoice and reserves its amount. Returns its UUID. Throws when the channel refuses it. */
export async function payLockedInvoice(
  transaction: Transaction,
  invoice: LockedInvoice,
  { userId, ...input }: InvoicePaymentInput,
  { clock, generateUuid, creator }: Pick<PayInvoiceDeps, 'clock' | 'generateUuid' | 'creator'>,
): Promise<string> {
  const amount = requirePayableAmount(invoice, input.amount, 'id');
  const request = { ...paymentRequestOf(invoice, generateUuid(), amount, input.channelId, input), userId };
  const [refusal] = await creator.createInTransaction(transaction, [request]);
  if (refusal !== undefined) throw refusal;
  const { tenantId, invoiceId, id: transactionId } = request;
  const reservation = { tenantId, invoiceId, transactionId, amount, automatic: false };
  await reserveAmounts(transaction, [reservation], customerNowMs(invoice, clock()));
  return transactionId;
}
