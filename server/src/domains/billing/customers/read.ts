import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { readVisible } from '../../identity/tenants/read-visible.ts';
import { type CustomerRow, findCustomer } from './statements.ts';

/** A customer, and the time of its test clock; null: it uses none. */
export type CustomerWithClock = CustomerRow & { clock_now: string | null };

/** Reads a customer that the caller may see. `field` is the input field that names it. */
export function readCustomer(
  database: Queryable,
  id: number,
  principal: Principal,
  field?: string,
): Promise<CustomerWithClock> {
  return readVisible(database, findCustomer, { noun: 'customer', id, field }, principal);
}

/** The customer's current time: the time of its test clock, or else the real time. */
export function customerNowMs({ clock_now }: { clock_now: string | null }, realMs: number): number {
  return clock_now === null ? realMs : Date.parse(clock_now);
}
