import { Type } from 'typebox';
import type { Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import { exportText, exportTypes } from '../../../platform/lists/export.ts';
import type { WebhooksApp } from '../app.ts';
import { listEvents } from './list.ts';
import { readEvent } from './read.ts';
import { eventDetail, eventListQuery, eventQuery, eventRow } from './schema.ts';

const { get } = routesFor<WebhooksApp>();

export const eventRoutes: readonly Route<WebhooksApp>[] = [
  get('/api/event/list', 'caller', 'Events', {
    summary: 'List events',
    description:
      'Newest first, of the types whose read scope the caller holds. ' +
      'A page can hold fewer events than `pageSize` and still have a successor: ' +
      'there are more pages as long as `pagination.nextCursor` is not null. ' +
      exportText,
    query: eventListQuery,
    refuses: ['scope_missing'],
    data: Type.Array(eventRow),
    paged: 'by_cursor',
    exportTypes,
    handle: listEvents,
  }),

  get('/api/event/detail', 'caller', 'Events', {
    summary: 'Get an event and its payload',
    description: "Needs the read scope of the event's type.",
    query: eventQuery,
    refuses: ['scope_missing'],
    data: eventDetail,
    handle: async ({ query, principal }, app) => ({ data: await readEvent(app.listDatabase, query.id, principal) }),
  }),
];
