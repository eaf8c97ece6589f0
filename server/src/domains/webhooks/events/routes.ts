import { Type } from 'typebox';
import { get, type Route } from '../../../platform/http/route.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { listEventsOf } from './list.ts';
import { readEvent } from './read.ts';
import { eventDetail, eventListQuery, eventQuery, listedEvent } from './schema.ts';

/** `lists` finds rows by index, in its order (`indexed`): a list looks through thousands of them. */
export function eventRoutes({ lists }: { lists: Queryable }): Route[] {
  return [
    get('/api/event/list', 'caller', 'Events', {
      summary: 'List events',
      description:
        'Newest first, of the types whose read scope the caller holds. A page may hold fewer than asked for and still be ' +
        'followed by more: as long as `pagination.next` is not null.',
      query: eventListQuery,
      data: Type.Array(listedEvent),
      paged: 'by_cursor',
      handle: ({ query, principal }) => listEventsOf(lists, query, principal),
    }),

    get('/api/event/detail', 'caller', 'Events', {
      summary: 'Look an event up, with what receivers are sent',
      description: "Needs the read scope of the event's type.",
      query: eventQuery,
      data: eventDetail,
      handle: async ({ query, principal }) => ({ json: await readEvent(lists, query.id, principal) }),
    }),
  ];
}
