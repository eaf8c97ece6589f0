import { notFound, Refusal } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { readVisible } from '../../identity/tenants/read-visible.ts';
import { requireReadScopes } from './rules.ts';
import { type EndpointRow, findEndpoint, lockEndpoint } from './statements.ts';

/**
 * The endpoint with this id, removed or not. Refuses an absent endpoint and one of another tenant alike, and a caller
 * who lacks the read scope of an event type that the endpoint subscribes to.
 */
export async function findManagedEndpoint(
  database: Queryable,
  id: number,
  principal: Principal,
  field = 'id',
  statement = findEndpoint,
): Promise<EndpointRow> {
  const row = await readVisible(database, statement, { noun: 'webhook', id, field }, principal);
  requireReadScopes(row.events, principal);
  return row;
}

/** Like `findManagedEndpoint`, with the endpoint locked until the transaction ends. */
export function lockManagedOrRemovedEndpoint(
  transaction: Queryable,
  id: number,
  principal: Principal,
  field = 'id',
): Promise<EndpointRow> {
  return findManagedEndpoint(transaction, id, principal, field, lockEndpoint);
}

/** Like `lockManagedOrRemovedEndpoint`, but refuses a removed endpoint as if it were absent. */
export async function lockManagedEndpoint(
  transaction: Queryable,
  id: number,
  principal: Principal,
  field = 'id',
): Promise<EndpointRow> {
  const row = await lockManagedOrRemovedEndpoint(transaction, id, principal, field);
  if (row.removed_at !== null) throw notFound('webhook', id, field);
  return row;
}

export function requireActive({ id, state }: EndpointRow): void {
  if (state) return;
  throw new Refusal('webhook_inactive', rule('webhook_off', { id }));
}
