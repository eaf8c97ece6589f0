import { Type } from 'typebox';
import type { Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import { exportText, exportTypes } from '../../../platform/lists/export.ts';
import type { WebhooksApp } from '../app.ts';
import { listDeliveries, readDelivery } from './read.ts';
import { createReplay } from './replay/create.ts';
import { readReplay } from './replay/read.ts';
import {
  deliveryDetail,
  deliveryListQuery,
  deliveryQuery,
  deliveryRecord,
  replayInput,
  replayQuery,
  replayRecord,
  replayResult,
} from './schema.ts';

const { get, post } = routesFor<WebhooksApp>();

export const deliveryRoutes: readonly Route<WebhooksApp>[] = [
  get('/api/webhook/delivery/list', 'webhook_read', 'Webhooks', {
    summary: 'List deliveries',
    description:
      'Deliveries of the latest events come first, and `startDate` and `endDate` apply to the events. A page may be ' +
      'shorter than `pageSize` although more pages follow: continue until `pagination.nextCursor` is null. ' +
      exportText,
    query: deliveryListQuery,
    refuses: ['record_not_found'],
    data: Type.Array(deliveryRecord),
    paged: 'by_cursor',
    exportTypes,
    handle: listDeliveries,
  }),

  get('/api/webhook/delivery/detail', 'webhook_read', 'Webhooks', {
    summary: 'Get a delivery with its attempts',
    query: deliveryQuery,
    data: deliveryDetail,
    handle: async ({ query, principal }, app) => ({
      data: await readDelivery(app.database, query.id, principal, app.guards.everyone),
    }),
  }),

  post('/api/webhook/replay', 'webhook_write', 'Webhooks', {
    operationId: 'replayWebhookDeliveries',
    summary: 'Replay one delivery, or all events since a time',
    description:
      'The events are sent again under the same `X-Service-Delivery`, with retries of their own. ' +
      'Deliveries that are still open are not sent twice. A replay since a time runs in batches, ' +
      'survives a crash, and includes events that had no delivery because the endpoint was switched off. ' +
      'A tenant has one of these at a time.',
    body: replayInput,
    refuses: ['webhook_inactive', 'replay_running'],
    data: replayResult,
    message: 'Replay queued',
    handle: async (call, app) => ({ data: await createReplay(call, app) }),
  }),

  get('/api/webhook/replay/detail', 'webhook_read', 'Webhooks', {
    summary: 'Get the progress of a replay',
    query: replayQuery,
    data: replayRecord,
    handle: async ({ query, principal }, app) => ({ data: await readReplay(app.database, query.id, principal) }),
  }),
];
