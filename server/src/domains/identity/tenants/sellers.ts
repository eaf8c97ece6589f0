import type { Queryable } from '../../../platform/postgres/database.ts';

export const mailLanguages = ['en', 'de'] as const;
export type MailLanguage = (typeof mailLanguages)[number];

/**
 * Which disputes that are lost reopen the invoice of their payment: none, those of money that came back or was not
 * authorized, or all.
 */
export const reopenPolicies = ['NEVER', 'RETURNED', 'ALWAYS'] as const;
export type ReopenPolicy = (typeof reopenPolicies)[number];

/** What a tenant is to its payers and customers, as far as the endpoints of tenants show and change it. */
export interface TenantSeller {
  address: Record<string, string> | null;
  taxId: string | null;
  customerMails: boolean;
  mailLanguage: MailLanguage;
  reopenInvoices: ReopenPolicy;
}

/** Fields that are left out keep their values; null clears one. */
export type TenantSellerChanges = { [Field in keyof TenantSeller]?: TenantSeller[Field] | undefined };

/** What billing knows of tenants as sellers. An extension point: the module `sellers` registers itself. */
export interface TenantSellers {
  /** By tenant. */
  find: (database: Queryable, tenantIds: readonly number[]) => Promise<ReadonlyMap<number, TenantSeller>>;
  /** In the transaction that creates the tenant, or has locked it. */
  save: (transaction: Queryable, tenantId: number, changes: TenantSellerChanges) => Promise<void>;
}

const defaults: TenantSeller = {
  address: null,
  taxId: null,
  customerMails: false,
  mailLanguage: 'en',
  reopenInvoices: 'RETURNED',
};

/** Passes everything on to the implementation that is registered. Until then tenants sell nothing. */
export class RegisteredTenantSellers {
  #registered: TenantSellers | undefined;

  register(implementation: TenantSellers): void {
    this.#registered = implementation;
  }

  async find(database: Queryable, tenantIds: readonly number[]): Promise<TenantSeller[]> {
    const found = await this.#registered?.find(database, tenantIds);
    return tenantIds.map((id) => found?.get(id) ?? defaults);
  }

  async save(transaction: Queryable, tenantId: number, changes: TenantSellerChanges): Promise<TenantSeller> {
    await this.#registered?.save(transaction, tenantId, changes);
    const [saved] = (await this.find(transaction, [tenantId])) as [TenantSeller];
    return saved;
  }
}
