import { invalid, notFound } from '../../../../core/errors.ts';
import { requireSameMode } from '../../../../core/livemode.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { planOnce } from '../../../../platform/postgres/plan-once.ts';
import type { PaymentOfInvoice, PaymentReservations } from '../../../payments/transactions/reservations.ts';
import { lockInvoices } from '../lock.ts';
import { requirePayableAmount } from '../rules.ts';
import { invoiceExists, type Reservation, reservationColumns, reservePayments } from '../statements.ts';

/** Reserves the amounts of payments on their invoices. */
export const invoiceReservations: PaymentReservations = { hasInvoice, lock, reserve };

async function hasInvoice(database: Queryable, tenantId: number, invoiceId: number): Promise<boolean> {
  return (await database.run(invoiceExists, [tenantId, invoiceId])).length > 0;
}

async function lock(transaction: Queryable, invoice: Pick<PaymentOfInvoice, 'tenantId' | 'invoiceId'>): Promise<void> {
  await lockInvoices(transaction, [invoice]);
}

/** The invoice's lock, and a constraint, ensure that concurrent payments never exceed the invoice. */
async function reserve(transaction: Queryable, payment: PaymentOfInvoice): Promise<void> {
  const { tenantId, invoiceId, transactionId, amount, currency, createdMs } = payment;
  const [invoice] = await lockInvoices(transaction, [payment]);
  if (invoice === undefined) throw notFound('invoice', invoiceId, 'invoiceId');
  requireSameMode(payment.livemode, invoice.livemode, 'invoiceId', `invoice ${invoiceId}`);
  requirePayableAmount(invoice, amount, 'invoiceId');
  if (currency !== invoice.currency) {
    throw invalid('currency', `currency must be ${invoice.currency}, that of invoice ${invoiceId}.`);
  }
  const atMs = invoice.clock_now === null ? createdMs : Date.parse(invoice.clock_now);
  await reserveAmounts(transaction, [{ tenantId, invoiceId, transactionId, amount, automatic: false }], atMs);
}

/** Writes reservations on locked invoices; at most one for each invoice. */
export async function reserveAmounts(
  transaction: Queryable,
  reservations: readonly Reservation[],
  atMs: number,
): Promise<void> {
  if (reservations.length === 0) return;
  await planOnce(transaction, reservations.length);
  const input = reservations.map((reservation) => ({ ...reservation, atMs }));
  await transaction.run(reservePayments, reservationColumns.parametersOf(input));
}
