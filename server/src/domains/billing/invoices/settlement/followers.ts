import type { Queryable } from '../../../../platform/postgres/database.ts';
import type { Retry } from '../../../payments/providers/failures.ts';
import type { InvoiceStatus } from '../states.ts';
import type { EndedPayment } from './settle-statements.ts';

/** A payment that has ended, with the status of its invoice afterwards. */
export interface SettledPayment {
  tenantId: number;
  invoiceId: number;
  customerId: number;
  subscriptionId: number | null;
  invoiceStatus: InvoiceStatus;
  state: EndedPayment['state'];
  /** `payInvoices` created the payment, not a user. */
  automatic: boolean;
  failureCode: string | null;
  failureMessage: string | null;
  /** The payment method that was charged; null: another way to pay. */
  methodId: string | null;
  /** In the customer's time. */
  atMs: number;
}

/** An invoice that became VOID or UNCOLLECTIBLE. */
export interface ClosedInvoice {
  tenantId: number;
  invoiceId: number;
  /** In the customer's time. */
  atMs: number;
}

/** An invoice that was PAID and is OPEN again, because a dispute about one of its payments is lost. */
export interface ReopenedInvoice {
  tenantId: number;
  invoiceId: number;
  /** The payment method that the payment charged; null: another way to pay. */
  methodId: string | null;
  /** What may be done again with this method. */
  retry: Retry;
  /** In the customer's time. */
  atMs: number;
}

/** Reacts to changes of invoices, in the transaction that writes them. An extension point for later modules. */
export interface InvoiceFollower {
  /** Payments have ended and are settled on their invoices. */
  settled: (transaction: Queryable, payments: readonly SettledPayment[]) => Promise<void>;
  /** A request made the invoice VOID or UNCOLLECTIBLE. */
  closed: (transaction: Queryable, invoice: ClosedInvoice) => Promise<void>;
  reopened: (transaction: Queryable, invoice: ReopenedInvoice) => Promise<void>;
}

/** Calls all registered followers, in the order of registration. */
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

  async reopened(transaction: Queryable, invoice: ReopenedInvoice): Promise<void> {
    for (const follower of this.#followers) await follower.reopened(transaction, invoice);
  }
}
