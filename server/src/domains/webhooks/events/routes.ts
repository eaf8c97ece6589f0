import { Type } from 'typebox';
import { get, type Route } from '../../../platform/http/route.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { listEventsOf } from './list.ts';
import { readEvent } from './read.ts';
import { eventDetail, eventListQuery, eventQuery, listedEvent } from './schema.ts';

export function eventRoutes(listDatabase: Queryable): Route[] {
  return [
    get('/api/event/list', 'caller', 'Events', {
      summary: 'List events',
      description:
        'Newest first, of the types whose read scope the caller holds. A page can hold fewer events than `pageSize` and ' +
        'still have a successor: there are more pages as long as `pagination.next` is not null.',
      query: eventListQuery,
      refuses: ['scope_missing'],
      data: Type.Array(listedEvent),
      paged: 'by_cursor',
      handle: ({ query, principal }) => listEventsOf(listDatabase, query, principal),
    }),

    get('/api/event/detail', 'caller', 'Events', {
      summary: 'Get an event and its payload',
      description: "Needs the read scope of the event's type.",
      query: eventQuery,
      refuses: ['scope_missing'],
      data: eventDetail,
      handle: async ({ query, principal }) => ({ json: await readEvent(listDatabase, query.id, principal) }),
    }),
  ];
}
