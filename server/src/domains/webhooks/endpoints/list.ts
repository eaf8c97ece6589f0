import type { Static } from 'typebox';
import { readablePatterns } from '../../../core/event-types.ts';
import { visibleModes } from '../../../core/livemode.ts';
import { defaultPageSize, type Pagination, paginationOf } from '../../../core/page.ts';
import { type Principal, tenantOnWire } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { listedTenants } from '../../identity/tenants/visible-tenants.ts';
import type { endpointListQuery, endpointRecord } from './schema.ts';
import { countEndpoints, type EndpointRow, listEndpoints } from './statements.ts';

export type EndpointRecord = Static<typeof endpointRecord>;

/** A page of endpoints, newest first: those whose events the caller may all read. */
export async function listEndpointsOf(
  database: Queryable,
  { page = 1, pageSize = defaultPageSize, livemode, tenantId }: Static<typeof endpointListQuery>,
  principal: Principal,
  nowMs: number,
): Promise<{ data: EndpointRecord[]; pagination: Pagination }> {
  const modes = visibleModes(principal, livemode, { namesRecord: true });
  const tenantIds = await listedTenants(database, principal, tenantId);
  const filter = [tenantIds, readablePatterns(principal.scopes), modes];
  const [count] = await database.run(countEndpoints, filter);
  const rows = await database.run(listEndpoints, [...filter, pageSize, (page - 1) * pageSize]);
  return {
    data: rows.map((row) => recordOf(row, nowMs)),
    pagination: paginationOf({ page, pageSize }, count?.total ?? 0),
  };
}

export function recordOf(row: EndpointRow, nowMs: number): EndpointRecord {
  const isPromoted = row.promote_at !== null && Date.parse(row.promote_at) <= nowMs;
  const isPaused = row.open_until !== null && Date.parse(row.open_until) > nowMs;
  return {
    id: row.id,
    livemode: row.livemode,
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
    updatedTime: row.updated_at ?? row.created_at,
  };
}
