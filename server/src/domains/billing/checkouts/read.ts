import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { readVisible } from '../../identity/tenants/read-visible.ts';
import { type CheckoutRow, findCheckout } from './statements.ts';

/** Reads a checkout that the caller may see. */
export function readCheckout(database: Queryable, id: number, principal: Principal): Promise<CheckoutRow> {
  return readVisible(database, findCheckout, { noun: 'checkout', id }, principal);
}
