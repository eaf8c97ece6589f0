import type { Queryable } from '../../../platform/postgres/database.ts';
import type { MethodRow } from './record.ts';

/** A customer, as methods and the providers that keep them need it. */
export interface MethodCustomer {
  tenantId: number;
  id: number;
  livemode: boolean;
  name: string;
  email: string | null;
  /** The time of its test clock, in ms; null: the real time. */
  nowMs: number | null;
}

/** Identifies a customer. */
export interface CustomerKey {
  tenantId: number;
  customerId: number;
}

/** What billing knows of customers. An extension point: the module `customers` registers itself. */
export interface MethodCustomers {
  /** The customer with this id in one of these tenants. */
  find: (database: Queryable, tenantIds: readonly number[], customerId: number) => Promise<MethodCustomer | undefined>;
  /**
   * Locks a customer until the transaction ends: changes of the default method come one after the other. Customers are
   * locked after invoices, and before payments and methods.
   */
  lock: (transaction: Queryable, customer: CustomerKey) => Promise<void>;
  /**
   * Names another method in the living subscriptions that name this one. Refuses (`payment_method_in_use`) if there are
   * any and there is no other method.
   */
  replace: (transaction: Queryable, method: MethodRow, other: MethodRow | null) => Promise<void>;
  /** Called in the transaction in which the provider has answered a setup, or it was ended before. */
  setupAnswered: (transaction: Queryable, customer: CustomerKey) => Promise<void>;
  /** Called in the transaction that has changed the customer's default method; the customer is locked. */
  defaultChanged: (transaction: Queryable, customer: CustomerKey) => Promise<void>;
}

/** Passes everything on to the implementation that is registered. Until then there are no customers. */
export class RegisteredMethodCustomers implements MethodCustomers {
  #registered: MethodCustomers | undefined;

  register(implementation: MethodCustomers): void {
    this.#registered = implementation;
  }

  async find(database: Queryable, tenantIds: readonly number[], customerId: number) {
    return this.#registered?.find(database, tenantIds, customerId);
  }

  async lock(transaction: Queryable, customer: CustomerKey): Promise<void> {
    await this.#registered?.lock(transaction, customer);
  }

  async replace(transaction: Queryable, method: MethodRow, other: MethodRow | null): Promise<void> {
    await this.#registered?.replace(transaction, method, other);
  }

  async setupAnswered(transaction: Queryable, customer: CustomerKey): Promise<void> {
    await this.#registered?.setupAnswered(transaction, customer);
  }

  async defaultChanged(transaction: Queryable, customer: CustomerKey): Promise<void> {
    await this.#registered?.defaultChanged(transaction, customer);
  }
}
