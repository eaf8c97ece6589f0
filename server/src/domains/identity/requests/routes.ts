import { Type } from 'typebox';
import { get, type Route } from '../../../platform/http/route.ts';
import { pageOf } from '../../../platform/lists/list.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { findRequestOf, listedAs, recordOf, requestList } from './list.ts';
import type { RequestRecorder } from './recorder.ts';
import { listedRequest, requestListQuery, requestQuery, requestRecord } from './schema.ts';

export interface RequestDeps {
  listDatabase: Queryable;
  requestRecorder: Pick<RequestRecorder, 'flush'>;
}

export function requestRoutes({ listDatabase, requestRecorder }: RequestDeps): Route[] {
  return [
    get('/api/request/list', 'caller', 'Requests', {
      summary: 'List the request log',
      description:
        'What callers sent, newest first, without bodies and queries. Who holds `*` sees the requests of the whole tenant, ' +
        'any other session those of its user, and any other key its own; a key sees those of its own mode. A page can hold ' +
        'fewer requests than `pageSize` and still have a successor: there are more pages as long as ' +
        '`pagination.nextCursor` is not null.',
      query: requestListQuery,
      data: Type.Array(listedRequest),
      paged: 'by_cursor_only',
      handle: async ({ query, principal }) => {
        await requestRecorder.flush();
        const { rows, pagination } = await pageOf(await requestList(listDatabase, query, principal), query);
        return { data: rows.map(listedAs(query, principal)), pagination };
      },
    }),

    get('/api/request/detail', 'caller', 'Requests', {
      summary: 'Get a request from the log',
      description: 'With the refusal, if it was refused.',
      query: requestQuery,
      data: requestRecord,
      handle: async ({ query, principal }) => {
        await requestRecorder.flush();
        return { data: recordOf(await findRequestOf(listDatabase, query.id, principal), principal) };
      },
    }),
  ];
}
