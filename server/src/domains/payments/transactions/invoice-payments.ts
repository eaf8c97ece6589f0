import type { Queryable } from '../../../platform/postgres/database.ts';
import type { DisputeReason } from '../providers/dispute.ts';
import type { Purchase } from '../providers/provider.ts';
import { noPurchase } from './purchase.ts';
import type { Transition } from './transition.cte.ts';

/** Identifies an invoice. */
export interface InvoiceOfPayment {
  tenantId: number;
  invoiceId: number;
}

/** A payment of which billing may know what is bought, and who pays. */
export interface PurchaseOfPayment {
  tenantId: number;
  livemode: boolean;
  invoiceId: number | null;
  customerId: number | null;
}

/** A payment that is about to be created for an invoice. */
export interface PaymentOfInvoice extends InvoiceOfPayment {
  livemode: boolean;
  transactionId: string;
  amount: number;
  currency: string;
  createdMs: number;
}

/** Payments (their UUIDs) of which their providers have just said that they still wait for the payer. */
export type StillWaiting = ReadonlySet<string>;

/** What billing does about payments of its invoices. An extension point: the module `invoices` registers itself. */
export interface InvoicePayments {
  /** Whether this service has the invoice. If not, `invoiceId` refers to another system and is only stored. */
  hasInvoice: (database: Queryable, invoice: InvoiceOfPayment) => Promise<boolean>;
  /**
   * Looks up the payments of an invoice that wait for their payer at a provider, before another payment begins. Takes
   * as long as the providers take to answer, so it is called outside of transactions.
   */
  lookUpWaiting: (invoice: InvoiceOfPayment) => Promise<StillWaiting>;
  /**
   * The lines of an invoice, and the address of a customer, or of the invoice's; null: this service has neither. Read
   * before a charge through a provider that takes them.
   */
  purchaseOf: (database: Queryable, payment: PurchaseOfPayment) => Promise<Purchase>;
  /** Locks invoices until the transaction ends: their payments are created and settled one after the other. */
  lock: (transaction: Queryable, invoices: readonly InvoiceOfPayment[]) => Promise<void>;
  /**
   * Records a payment on its locked invoice, in the transaction that creates the payment. Refuses an amount above what
   * is neither paid nor reserved by payments in progress.
   */
  reserve: (transaction: Queryable, payment: PaymentOfInvoice, stillWaiting: StillWaiting) => Promise<void>;
  /**
   * Settles payments on their locked invoices, in the transaction that has just ended or authorized them, or made them
   * wait for the payer.
   */
  follow: (transaction: Queryable, transitions: readonly Transition[]) => Promise<void>;
  /**
   * Takes what a dispute that is lost has withdrawn from what its payment has paid of a locked invoice, as far as the
   * tenant wants that, and pays it again when the dispute is won.
   */
  followDispute: (transaction: Queryable, dispute: DisputeOfInvoice) => Promise<FollowedDispute>;
  /** Gives back what a payment took beyond what was left to pay of a locked invoice, once its funds are booked. */
  settleExcess: (transaction: Queryable, excess: ExcessOfInvoice) => Promise<void>;
}

/** A dispute about a payment of an invoice. */
export interface DisputeOfInvoice extends InvoiceOfPayment {
  /** The payment's UUID. */
  transactionId: string;
  reason: DisputeReason;
  /** What is withdrawn by a dispute that is lost; 0: it is not, or nothing is. */
  withdrawn: number;
  /** What was taken before. */
  unpaid: number;
}

export interface FollowedDispute {
  /** What is taken in all. */
  unpaid: number;
  /** What the payment took in all beyond what was left to pay, if the dispute has added to it; else 0. */
  excess: number;
}

export interface ExcessOfInvoice extends InvoiceOfPayment {
  /** The payment's UUID. */
  transactionId: string;
  /** In minor units. */
  amount: number;
}

/** Passes everything on to the implementation that is registered. Until then there are no invoices. */
export class RegisteredInvoicePayments implements InvoicePayments {
  #registered: InvoicePayments | undefined;

  register(implementation: InvoicePayments): void {
    this.#registered = implementation;
  }

  async hasInvoice(database: Queryable, invoice: InvoiceOfPayment): Promise<boolean> {
    return (await this.#registered?.hasInvoice(database, invoice)) ?? false;
  }

  async lookUpWaiting(invoice: InvoiceOfPayment): Promise<StillWaiting> {
    return (await this.#registered?.lookUpWaiting(invoice)) ?? new Set();
  }

  async purchaseOf(database: Queryable, payment: PurchaseOfPayment): Promise<Purchase> {
    return (await this.#registered?.purchaseOf(database, payment)) ?? noPurchase;
  }

  async lock(transaction: Queryable, invoices: readonly InvoiceOfPayment[]): Promise<void> {
    await this.#registered?.lock(transaction, invoices);
  }

  async reserve(transaction: Queryable, payment: PaymentOfInvoice, stillWaiting: StillWaiting): Promise<void> {
    await this.#registered?.reserve(transaction, payment, stillWaiting);
  }

  async follow(transaction: Queryable, transitions: readonly Transition[]): Promise<void> {
    await this.#registered?.follow(transaction, transitions);
  }

  async followDispute(transaction: Queryable, dispute: DisputeOfInvoice): Promise<FollowedDispute> {
    const followed = await this.#registered?.followDispute(transaction, dispute);
    return followed ?? { unpaid: dispute.unpaid, excess: 0 };
  }

  async settleExcess(transaction: Queryable, excess: ExcessOfInvoice): Promise<void> {
    await this.#registered?.settleExcess(transaction, excess);
  }
}
