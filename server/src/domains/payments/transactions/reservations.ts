import type { Queryable } from '../../../platform/postgres/database.ts';

/** A payment that is about to be written for an invoice. */
export interface PaymentOfInvoice {
  tenantId: number;
  invoiceId: number;
  transactionId: string;
  amount: number;
  currency: string;
  createdMs: number;
}

/**
 * Reserves the amounts of payments on the invoices that they name, so that payments never exceed their invoice. An extension
 * point: billing implements it.
 */
export interface PaymentReservations {
  /** Whether the invoice is kept here; otherwise its id is the merchant's own affair. */
  isKept: (database: Queryable, tenantId: number, invoiceId: number) => Promise<boolean>;
  /** Reserves the amount under the invoice's lock, in the transaction that writes the payment. Refuses what it cannot reserve. */
  reserve: (transaction: Queryable, payment: PaymentOfInvoice) => Promise<void>;
}
