import { invalid, notFound } from '../../../../core/errors.ts';
import { requireSameMode } from '../../../../core/livemode.ts';
import { rule } from '../../../../core/refusal-rules.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { planOnce } from '../../../../platform/postgres/plan-once.ts';
import type { PaymentOfInvoice, StillWaiting } from '../../../payments/transactions/invoice-payments.ts';
import { lockInvoices, mapKeyOf, openPaymentsOf } from '../lock.ts';
import { requirePayableAmount, reservedAmountOf } from '../rules.ts';
import { type InvoicePaymentDraft, insertPayments, type LockedInvoice, paymentColumns } from '../statements.ts';

/**
 * Records a payment on its invoice, whose lock ensures that concurrent payments in progress never exceed what is left
 * to pay. Throws when the invoice cannot be paid, or not as much of it.
 */
export async function reserve(
  transaction: Queryable,
  payment: PaymentOfInvoice,
  stillWaiting: StillWaiting,
): Promise<void> {
  const { tenantId, invoiceId, transactionId, amount, currency, createdMs } = payment;
  const [invoice] = await lockInvoices(transaction, [payment]);
  if (invoice === undefined) throw notFound('invoice', invoiceId, 'invoiceId');
  requireSameMode(payment.livemode, invoice.livemode, 'invoiceId', { noun: 'invoice', id: invoiceId });
  requirePayableAmount(invoice, await reservedOn(transaction, invoice, stillWaiting), amount, 'invoiceId');
  if (currency !== invoice.currency) {
    throw invalid('currency', rule('currency_of_invoice', { currency: invoice.currency, invoiceId }));
  }
  const atMs = invoice.clock_now === null ? createdMs : Date.parse(invoice.clock_now);
  await recordPayments(transaction, [{ tenantId, invoiceId, transactionId, amount, automatic: false }], atMs);
}

/** The amount that payments in progress reserve on a locked invoice. */
export async function reservedOn(
  transaction: Queryable,
  invoice: LockedInvoice,
  stillWaiting: StillWaiting,
): Promise<number> {
  const open = await openPaymentsOf(transaction, [invoice]);
  const key = mapKeyOf({ tenantId: invoice.tenant_id, invoiceId: invoice.id });
  return reservedAmountOf(open.get(key) ?? [], stillWaiting);
}

/** Records payments on locked invoices; at most one for each invoice. */
export async function recordPayments(
  transaction: Queryable,
  payments: readonly InvoicePaymentDraft[],
  atMs: number,
): Promise<void> {
  if (payments.length === 0) return;
  await planOnce(transaction, payments.length);
  const input = payments.map((payment) => ({ ...payment, atMs }));
  await transaction.run(insertPayments, paymentColumns.parametersOf(input));
}
