import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { readVisible } from '../../identity/tenants/read-visible.ts';
import { findSubscription, type SubscriptionWithTerms } from './statements.ts';

/** Reads a subscription that the caller may see. */
export function readSubscription(
  database: Queryable,
  id: number,
  principal: Principal,
): Promise<SubscriptionWithTerms> {
  return readVisible(database, findSubscription, { noun: 'subscription', id }, principal);
}
