import type { Queryable } from '../../../platform/postgres/database.ts';

/** A payment that is about to be created for an invoice. */
export interface PaymentOfInvoice {
  tenantId: number;
  livemode: boolean;
  invoiceId: number;
  transactionId: string;
  amount: number;
  currency: string;
  createdMs: number;
}

/**
 * Reserves the amounts of payments on their invoices, so that payments never exceed an invoice. An extension point:
 * billing implements it.
 */
export interface PaymentReservations {
  /** Whether this service has the invoice. If not, `invoiceId` refers to another system and is only stored. */
  hasInvoice: (database: Queryable, tenantId: number, invoiceId: number) => Promise<boolean>;
  /** Locks the invoice until the transaction ends: payments for it are created one after the other. */
  lock: (transaction: Queryable, invoice: Pick<PaymentOfInvoice, 'tenantId' | 'invoiceId'>) => Promise<void>;
  /** Reserves the amount on the locked invoice, in the transaction that creates the payment. Refuses an amount above the open one. */
  reserve: (transaction: Queryable, payment: PaymentOfInvoice) => Promise<void>;
}
