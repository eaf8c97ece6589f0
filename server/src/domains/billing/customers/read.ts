import { notFound } from '../../../core/errors.ts';
import { seesMode } from '../../../core/livemode.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { visibleTenants } from '../../identity/tenants/visible-tenants.ts';
import { type CustomerRow, findCustomer } from './statements.ts';

/** A customer, and the time of its test clock; null: it has none. */
export type CustomerWithClock = CustomerRow & { clock_now: string | null };

/** Reads a customer that the caller may see. An unknown id and another tenant's id get the same refusal, which names `field`. */
export async function readCustomer(
  database: Queryable,
  id: number,
  principal: Principal,
  field = 'id',
): Promise<CustomerWithClock> {
  const [row] = await database.run(findCustomer, [await visibleTenants(database, principal), id]);
  if (row === undefined || !seesMode(principal, row.livemode)) throw notFound('customer', id, field);
  return row;
}

/** The customer's current time: that of its test clock, else the real time. */
export function customerNowMs({ clock_now }: { clock_now: string | null }, realMs: number): number {
  return clock_now === null ? realMs : Date.parse(clock_now);
}
