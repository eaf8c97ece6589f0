import type { Queryable } from '../../platform/postgres/database.ts';
import { invalid, notFound } from '../../vocabulary/errors.ts';
import { hold, lock } from './payments.ts';
import { payableAmount } from './rules.ts';
import { isOurs } from './sql.ts';

/** Whether a payment that names an invoice names one that is kept here; else the name is the merchant's own affair. */
export async function isInvoiceHeld(database: Queryable, tenantId: number, invoiceId: number): Promise<boolean> {
  return (await database.run(isOurs, [tenantId, invoiceId])).length > 0;
}

export interface PaymentOfInvoice {
  tenantId: number;
  invoiceId: number;
  transactionId: string;
  amount: number;
  currency: string;
  createdMs: number;
}

/**
 * Takes of an invoice what a payment that is about to be written will pay, under the invoice's lock, so that payments never
 * exceed it, whoever pays at the same time. A constraint holds it as well. In the transaction that writes the payment.
 */
export async function holdForPayment(transaction: Queryable, payment: PaymentOfInvoice): Promise<void> {
  const { tenantId, invoiceId, transactionId, amount, currency, createdMs } = payment;
  const [invoice] = await lock(transaction, [payment]);
  if (invoice === undefined) throw notFound('invoice', invoiceId, 'invoiceId');
  payableAmount(invoice, amount, 'invoiceId');
  if (currency !== invoice.currency) {
    throw invalid('currency', `currency must be ${invoice.currency}, that of invoice ${invoiceId}.`);
  }
  const atMs = invoice.clock_now === null ? createdMs : Date.parse(invoice.clock_now);
  await hold(transaction, [{ tenantId, invoiceId, transactionId, amount, automatic: false }], atMs);
}
