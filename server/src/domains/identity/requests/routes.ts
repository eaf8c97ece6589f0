import { Type } from 'typebox';
import type { Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import type { IdentityApp } from '../app.ts';
import { findRequestOf, listRequests, recordOf } from './list.ts';
import { listedRequest, requestListQuery, requestQuery, requestRecord } from './schema.ts';

const { get } = routesFor<IdentityApp>();

export const requestRoutes: readonly Route<IdentityApp>[] = [
  get('/api/request/list', 'caller', 'Requests', {
    summary: 'List the request log',
    description:
      'What callers sent, newest first, without bodies and queries. ' +
      'Who holds `*` sees the requests of the whole tenant, any other session those of its user, ' +
      'and any other key its own; a key sees those of its own mode. ' +
      'A page can hold fewer requests than `pageSize` and still have a successor: ' +
      'there are more pages as long as `pagination.nextCursor` is not null.',
    query: requestListQuery,
    data: Type.Array(listedRequest),
    paged: 'by_cursor_only',
    handle: listRequests,
  }),

  get('/api/request/detail', 'caller', 'Requests', {
    summary: 'Get a request from the log',
    description: 'With the refusal, if it was refused.',
    query: requestQuery,
    data: requestRecord,
    handle: async ({ query, principal }, app) => {
      await app.requestRecorder.flush();
      return { data: recordOf(await findRequestOf(app.listDatabase, query.id, principal), principal) };
    },
  }),
];
