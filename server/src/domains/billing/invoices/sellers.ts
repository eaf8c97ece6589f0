import { plainArray } from '../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { Language } from './formats.ts';
import { findLanguage, findSellers, type Seller } from './statements.ts';

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
export async function languageOf(database: Queryable, tenantId: number): Promise<Language> {
  const [row] = (await database.run(findLanguage, [tenantId])) as [{ language: Language }];
  return row.language;
}
