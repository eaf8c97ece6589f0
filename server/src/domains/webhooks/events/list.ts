import type { Static } from 'typebox';
import { timeRangeOf } from '../../../core/days.ts';
import { invalid } from '../../../core/errors.ts';
import { eventTypes, readableTypes } from '../../../core/event-types.ts';
import { leastUuidAt, publicId, uuidAfter, uuidOfPublicId } from '../../../core/id.ts';
import { visibleModes } from '../../../core/livemode.ts';
import { tenantOnWire } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { type CursorList, filtersOf, readSlice, rowsOf, type Selection } from '../../../platform/lists/list.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { defineList, type ListRequest } from '../../identity/tenants/define-list.ts';
import { type eventListQuery, eventRow, type listedEvent } from './schema.ts';
import { type EventRow, eventFilters, type ListedRow, listEventsOfObject, readEvents } from './statements.ts';

export type ListedEvent = Static<typeof listedEvent>;

type Query = Static<typeof eventListQuery>;

export const listEvents = defineList<Query, ListedRow, Static<typeof eventRow>>({
  find: async (request, { listDatabase }) => eventsOf(request, listDatabase),
  listedAs:
    ({ query: { fields } }) =>
    (row) => ({ ...recordOf(row), ...(fields !== undefined && { payload: JSON.parse(row.body ?? '{}') }) }),
  exported: { file: 'events', shape: eventRow, action: 'event.export' },
});

/** The events that the caller may read. */
function eventsOf({ query, principal, tenantIds }: ListRequest<Query>, database: Queryable): CursorList<ListedRow> {
  const { type } = query;
  const types = readableTypes(principal.scopes).filter((readable) => type === undefined || readable === type);
  const [fromKey, toKey] = idRangeOf(query);
  const objectId = objectIdOf(query);
  const modes = visibleModes(principal, query.livemode, {
    namesRecord: objectId !== undefined || query.search !== undefined,
  });
  const withPayload = query.fields !== undefined;
  const selection: Selection = {
    tenantIds,
    fromKey,
    toKey,
    values: eventFilters.valuesOf({ types, modes, withPayload }),
    isFiltered: types.length < eventTypes.length,
    hasMode: true,
  };
  return {
    name: 'events',
    filters: filtersOf(query),
    keyType: 'uuid',
    idPrefix: 'evt',
    givesNext: true,
    read: async (slice) => {
      if (objectId === undefined) return readSlice(database, readEvents, selection, slice);
      const { belowKey = toKey, take } = slice;
      // A payment and its transaction.created event share one id.
      const createdEventId = uuidOfPublicId('txn', objectId) ?? null;
      const range = [tenantIds, fromKey, belowKey < toKey ? belowKey : toKey];
      const values = [objectId, createdEventId, types, take + 1, modes, withPayload];
      return rowsOf(await database.run(listEventsOfObject, [...range, ...values]), take);
    },
  };
}

/** The record of the events; undefined: any. A search that is no event's id is the id of a record. */
function objectIdOf({ objectId, search }: Query): string | undefined {
  const searched = search === undefined || uuidOfPublicId('evt', search) !== undefined ? undefined : search;
  if (objectId !== undefined && searched !== undefined && objectId !== searched) {
    throw invalid('search', rule('leave_out', { other: 'objectId' }));
  }
  return objectId ?? searched;
}

/** The first id (inclusive) and the last id (exclusive) of the time limits, and of the event that is searched. */
function idRangeOf(query: Query): [string, string] {
  const { fromMs, toMs } = timeRangeOf(query);
  const [from, to] = [leastUuidAt(fromMs), leastUuidAt(toMs)];
  const id = uuidOfPublicId('evt', query.search ?? '');
  if (id === undefined) return [from, to];
  return id >= from && id < to ? [id, uuidAfter(id)] : [from, from];
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
