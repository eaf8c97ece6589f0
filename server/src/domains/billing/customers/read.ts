import { notFound } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { tenantsSeen } from '../../identity/tenants/visible-tenants.ts';
import { type CustomerRow, findCustomer } from './statements.ts';

/** A customer, and what time it is for it where it lives by a test clock. */
export type CustomerWithClock = CustomerRow & { clock_now: string | null };

/** The customer of that id, if the caller may see it; absent and foreign ids are refused alike, by `field`. */
export async function readCustomer(
  database: Queryable,
  id: number,
  principal: Principal,
  field = 'id',
): Promise<CustomerWithClock> {
  const [row] = await database.run(findCustomer, [await tenantsSeen(database, principal), id]);
  if (row === undefined) throw notFound('customer', id, field);
  return row;
}

/** A customer's now: what its test clock shows, else the real time. */
export function customerNowMs({ clock_now }: { clock_now: string | null }, realMs: number): number {
  return clock_now === null ? realMs : Date.parse(clock_now);
}
