import type { Queryable } from '../../../platform/postgres/database.ts';
import type { EndedPayment } from './settle-statements.ts';
import type { InvoiceStatus } from './states.ts';

/** A payment of an invoice that has ended, and the invoice as it stands after it. */
export interface SettledPayment {
  tenantId: number;
  invoiceId: number;
  customerId: number;
  subscriptionId: number | null;
  invoiceStatus: InvoiceStatus;
  state: EndedPayment['state'];
  /** It was opened by `payInvoices`. */
  automatic: boolean;
  failureCode: string | null;
  failureMessage: string | null;
  /** In the customer's time. */
  atMs: number;
}

/** An invoice that was voided or given up. */
export interface ClosedInvoice {
  tenantId: number;
  invoiceId: number;
  /** In the customer's time. */
  atMs: number;
}

/** Follows invoices in the transaction that changes them. An extension point: subscriptions register. */
export interface InvoiceFollower {
  /** Payments of invoices have ended, and their invoices with them. */
  settled: (transaction: Queryable, payments: readonly SettledPayment[]) => Promise<void>;
  closed: (transaction: Queryable, invoice: ClosedInvoice) => Promise<void>;
}

/** Everyone who follows invoices, in the order of registration. */
export class InvoiceFollowers implements InvoiceFollower {
  readonly #followers: InvoiceFollower[] = [];

  register(follower: InvoiceFollower): void {
    this.#followers.push(follower);
  }

  async settled(transaction: Queryable, payments: readonly SettledPayment[]): Promise<void> {
    for (const follower of this.#followers) await follower.settled(transaction, payments);
  }

  async closed(transaction: Queryable, invoice: ClosedInvoice): Promise<void> {
    for (const follower of this.#followers) await follower.closed(transaction, invoice);
  }
}
