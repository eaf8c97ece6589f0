import type { Static } from 'typebox';
import { notFound, Refusal } from '../../../core/errors.ts';
import { readablePatterns } from '../../../core/event-types.ts';
import type { DrawUuid } from '../../../core/id.ts';
import { defaultPageSize, type Pagination, paginationOf } from '../../../core/page.ts';
import { type Principal, tenantOnWire } from '../../../core/principal.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import { tenantsSeen } from '../../identity/tenants/visible-tenants.ts';
import { countEndpoints, findEndpoint, listEndpoints, lockEndpoint, type ManagedRow } from './endpoint-statements.ts';
import type { WebhookDeps } from './register.ts';
import { demandReading } from './rules.ts';
import type { endpointListQuery, endpointRecord } from './schema.ts';

/** What the verbs on endpoints need. */
export interface ManagementDeps extends WebhookDeps {
  database: Database;
  drawUuid: DrawUuid;
}

export type EndpointRecord = Static<typeof endpointRecord>;

/** A page of endpoints, newest first: those of which the caller may read everything that is sent to them. */
export async function listEndpointsOf(
  database: Queryable,
  { page = 1, pageSize = defaultPageSize }: Static<typeof endpointListQuery>,
  principal: Principal,
  nowMs: number,
): Promise<{ data: EndpointRecord[]; pagination: Pagination }> {
  const narrowed = [await tenantsSeen(database, principal), readablePatterns(principal.scopes)];
  const [count] = await database.run(countEndpoints, narrowed);
  const rows = await database.run(listEndpoints, [...narrowed, pageSize, (page - 1) * pageSize]);
  return {
    data: rows.map((row) => recordOf(row, nowMs)),
    pagination: paginationOf({ page, pageSize }, count?.total ?? 0),
  };
}

/** The endpoint of that id if the caller may manage it, removed or not; absent and foreign ones are refused alike. */
export async function findManaged(
  database: Queryable,
  id: number,
  principal: Principal,
  field = 'id',
): Promise<ManagedRow> {
  const [row] = await database.run(findEndpoint, [await tenantsSeen(database, principal), id]);
  return manageable(row, id, principal, field);
}

/** The same, of one that is not removed, locked until the transaction ends. */
export async function lockManaged(
  transaction: Queryable,
  id: number,
  principal: Principal,
  field = 'id',
): Promise<ManagedRow> {
  const [row] = await transaction.run(lockEndpoint, [await tenantsSeen(transaction, principal), id]);
  const managed = manageable(row, id, principal, field);
  if (managed.removed_at !== null) throw notFound('webhook', id, field);
  return managed;
}

function manageable(row: ManagedRow | undefined, id: number, principal: Principal, field: string): ManagedRow {
  if (row === undefined) throw notFound('webhook', id, field);
  demandReading(row.events, principal);
  return row;
}

/** Nothing can be sent to an endpoint that is switched off. */
export function demandActive({ id, state }: ManagedRow): void {
  if (state) return;
  throw new Refusal('webhook_inactive', `Webhook ${id} is switched off: nothing is sent to it.`, {
    details: { id },
  });
}

export function recordOf(row: ManagedRow, nowMs: number): EndpointRecord {
  const isPromoted = row.promote_at !== null && Date.parse(row.promote_at) <= nowMs;
  const isPaused = row.open_until !== null && Date.parse(row.open_until) > nowMs;
  return {
    id: row.id,
    tenantId: tenantOnWire(row.tenant_id),
    url: row.url,
    events: row.events,
    state: row.state,
    disabledReason: row.disabled_reason,
    failingSince: row.first_failure_at,
    pausedUntil: isPaused ? row.open_until : null,
    maxInFlight: row.max_in_flight,
    ratePerSecond: row.rate_per_s,
    nextSecret: row.has_next_secret && !isPromoted,
    promoteAt: isPromoted ? null : row.promote_at,
    createdTime: row.created_at,
    updatedTime: row.updated_at,
  };
}
