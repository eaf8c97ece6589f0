import { Type } from 'typebox';
import { get, type Route } from '../../../platform/http/route.ts';
import { exportText, exportTypes } from '../../../platform/lists/export.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import { answerList } from '../../identity/audit/answer-list.ts';
import { eventList, listedAs } from './list.ts';
import { readEvent } from './read.ts';
import { eventDetail, eventListQuery, eventQuery, eventRow } from './schema.ts';

interface EventDeps {
  database: Database;
  listDatabase: Queryable;
}

export function eventRoutes({ database, listDatabase }: EventDeps): Route[] {
  return [
    get('/api/event/list', 'caller', 'Events', {
      summary: 'List events',
      description:
        'Newest first, of the types whose read scope the caller holds. A page can hold fewer events than `pageSize` and ' +
        'still have a successor: there are more pages as long as `pagination.nextCursor` is not null. ' +
        exportText,
      query: eventListQuery,
      refuses: ['scope_missing'],
      data: Type.Array(eventRow),
      paged: 'by_cursor',
      exportTypes,
      handle: async (call) => {
        const { query, principal } = call;
        const list = await eventList(listDatabase, query, principal);
        const answer = {
          list,
          listedAs: listedAs(query),
          shape: eventRow,
          file: 'events',
          action: 'event.export',
        } as const;
        return answerList(call, database, answer);
      },
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
