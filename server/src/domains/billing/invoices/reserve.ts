import { invalid, notFound } from '../../../core/errors.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { PaymentOfInvoice, PaymentReservations } from '../../payments/transactions/reservations.ts';
import { lockInvoices, reserveAmounts } from './automatic-payments.ts';
import { requirePayableAmount } from './rules.ts';
import { invoiceExists } from './statements.ts';

/** Reserves the amounts of payments on the invoices that they name. */
export const invoiceReservations: PaymentReservations = { isKept, reserve };

async function isKept(database: Queryable, tenantId: number, invoiceId: number): Promise<boolean> {
  return (await database.run(invoiceExists, [tenantId, invoiceId])).length > 0;
}

/** Under the invoice's lock, so that concurrent payments never exceed it. A constraint ensures it as well. */
async function reserve(transaction: Queryable, payment: PaymentOfInvoice): Promise<void> {
  const { tenantId, invoiceId, transactionId, amount, currency, createdMs } = payment;
  const [invoice] = await lockInvoices(transaction, [payment]);
  if (invoice === undefined) throw notFound('invoice', invoiceId, 'invoiceId');
  requirePayableAmount(invoice, amount, 'invoiceId');
  if (currency !== invoice.currency) {
    throw invalid('currency', `currency must be ${invoice.currency}, that of invoice ${invoiceId}.`);
  }
  const atMs = invoice.clock_now === null ? createdMs : Date.parse(invoice.clock_now);
  await reserveAmounts(transaction, [{ tenantId, invoiceId, transactionId, amount, automatic: false }], atMs);
}
