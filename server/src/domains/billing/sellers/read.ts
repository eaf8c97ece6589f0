import { notFound } from '../../../core/errors.ts';
import { type Principal, seesAllTenants } from '../../../core/principal.ts';
import type { Answer, Call } from '../../../platform/http/route.ts';
import { plainArray } from '../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { MailLanguage } from '../../identity/tenants/sellers.ts';
import type { BillingApp } from '../app.ts';
import { recordOf, type SellerRecord } from './record.ts';
import { findLanguage, findSeller, findSellers, type Seller } from './statements.ts';

/** The seller of the caller's tenant, or for a platform administrator of any. */
export async function readSeller(
  { query: { id }, principal }: Call<unknown, { id: number }>,
  { database }: BillingApp,
): Promise<Answer<SellerRecord>> {
  requireOwn(id, principal);
  const [row] = await database.run(findSeller, [id]);
  if (row === undefined) throw notFound('tenant', id);
  return { data: recordOf(row) };
}

/** A foreign tenant gets the same refusal as one that does not exist. */
export function requireOwn(id: number, principal: Principal): void {
  if (id !== principal.tenantId && !seesAllTenants(principal)) throw notFound('tenant', id);
}

/** The current name, address and tax number of tenants, in the order of `tenantIds`, in one statement. */
export async function sellersOf(database: Queryable, tenantIds: readonly number[]): Promise<Seller[]> {
  const found = await database.run(findSellers, [plainArray([...new Set(tenantIds)])]);
  const sellerOf = new Map(found.map(({ id, name, address, taxId }) => [id, { name, address, taxId }]));
  return tenantIds.map((id) => sellerOf.get(id) as Seller);
}

export async function sellerOf(database: Queryable, tenantId: number): Promise<Seller> {
  const [seller] = (await sellersOf(database, [tenantId])) as [Seller];
  return seller;
}

/** The current language of a tenant's invoices and mails (`mailLanguage`). */
export async function languageOf(database: Queryable, tenantId: number): Promise<MailLanguage> {
  const [row] = (await database.run(findLanguage, [tenantId])) as [{ language: MailLanguage }];
  return row.language;
}
