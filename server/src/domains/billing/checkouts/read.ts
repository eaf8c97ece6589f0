import { notFound } from '../../../core/errors.ts';
import { seesMode } from '../../../core/livemode.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { visibleTenants } from '../../identity/tenants/visible-tenants.ts';
import { type CheckoutRow, findCheckout } from './statements.ts';

/** Reads a checkout that the caller may see. An unknown id and another tenant's id get the same refusal. */
export async function readCheckout(database: Queryable, id: number, principal: Principal): Promise<CheckoutRow> {
  const [row] = await database.run(findCheckout, [await visibleTenants(database, principal), id]);
  if (row === undefined || !seesMode(principal, row.livemode)) throw notFound('checkout', id);
  return row;
}
