import type { Static } from 'typebox';
import { dayRangeOf } from '../../../core/days.ts';
import { invalid } from '../../../core/errors.ts';
import { eventTypes, readableTypes } from '../../../core/event-types.ts';
import { leastUuidAt, publicId, uuidOfPublicId } from '../../../core/id.ts';
import { visibleModes } from '../../../core/livemode.ts';
import { type CursorPagination, defaultPageSize } from '../../../core/page.ts';
import { type Principal, tenantOnWire } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { scanEnough } from '../../../platform/postgres/scan-enough.ts';
import { visibleTenants } from '../../identity/tenants/visible-tenants.ts';
import type { eventListQuery, listedEvent } from './schema.ts';
import { type EventRow, listEvents, listEventsOfObject } from './statements.ts';

export type ListedEvent = Static<typeof listedEvent>;

/** Maximum number of events read for one page, over all tenants. */
const maxScanned = 10_000;

/** A page of events, newest first, of the types that the caller may read. */
export async function listEventsOf(
  database: Queryable,
  query: Static<typeof eventListQuery>,
  principal: Principal,
): Promise<{ data: ListedEvent[]; pagination: CursorPagination }> {
  const { pageSize = defaultPageSize, type, objectId } = query;
  const types = readableTypes(principal.scopes).filter((readable) => type === undefined || readable === type);
  const tenantIds = await visibleTenants(database, principal);
  const idRange = idRangeOf(query);
  const modes = visibleModes(principal, query.livemode, { namesRecord: objectId !== undefined });
  const mostScanned = Math.max(pageSize, Math.ceil(maxScanned / tenantIds.length));
  const isFiltered = types.length < eventTypes.length;
  const scan = (scanned: number) =>
    database.run(listEvents, [tenantIds, ...idRange, scanned + 1, types, pageSize + 1, modes]);
  const rows =
    objectId === undefined
      ? await scanEnough(scan, { pageSize, mostScanned, isFiltered })
      : await listOfObject(database, objectId, [tenantIds, ...idRange], types, pageSize + 1, modes);
  const found = rows.filter(({ id }) => id !== null);
  const page = found.slice(0, pageSize);
  const next = found.length > pageSize ? (page.at(-1) as EventRow).id : (rows[0]?.bound ?? null);
  return {
    data: page.map(recordOf),
    pagination: { pageSize, next: next === null ? null : publicId('evt', next) },
  };
}

async function listOfObject(
  database: Queryable,
  objectId: string,
  tenantsAndIdRange: unknown[],
  types: readonly string[],
  limit: number,
  modes: boolean[],
): Promise<(EventRow & { bound?: null })[]> {
  // A payment and its transaction.created event share one id.
  const createdEventId = uuidOfPublicId('txn', objectId) ?? null;
  return database.run(listEventsOfObject, [...tenantsAndIdRange, objectId, createdEventId, types, limit, modes]);
}

/** The first id (inclusive) and the last id (exclusive) of the days and the cursor in a query. */
function idRangeOf({ startDate, endDate, after }: Static<typeof eventListQuery>): [string, string] {
  const { fromMs, toMs } = dayRangeOf(startDate, endDate);
  const afterId = after === undefined ? undefined : uuidOfPublicId('evt', after);
  if (after !== undefined && afterId === undefined) throw invalid('after', "after must be an event's id, evt_….");
  const endId = leastUuidAt(toMs);
  return [leastUuidAt(fromMs), afterId !== undefined && afterId < endId ? afterId : endId];
}

export function recordOf(row: EventRow): ListedEvent {
  return {
    id: publicId('evt', row.id),
    livemode: row.livemode,
    tenantId: tenantOnWire(row.tenant_id),
    type: row.type,
    objectId: row.object_id,
    createdTime: row.created_at,
  };
}
