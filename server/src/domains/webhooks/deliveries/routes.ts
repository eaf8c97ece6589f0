import { Type } from 'typebox';
import { get, post, type Route } from '../../../platform/http/route.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { listDeliveriesOf, readDelivery } from './read.ts';
import { type ReplayDeps, readReplay, replay } from './replay/replay.ts';
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

export interface DeliveryDeps extends ReplayDeps {
  /** For lists that look through thousands of rows: it finds them by index, in its order (`indexed`). */
  lists: Queryable;
}

export function deliveryRoutes(deps: DeliveryDeps): Route[] {
  const { database, lists } = deps;
  return [
    get('/api/webhook/delivery/list', 'caller', 'Webhooks', {
      summary: 'List deliveries',
      description:
        'Those of the latest events first. Days are those of the events. A page may hold fewer than asked for and still ' +
        'be followed by more: as long as `pagination.next` is not null.',
      query: deliveryListQuery,
      data: Type.Array(deliveryRecord),
      paged: 'by_cursor',
      handle: ({ query, principal }) => listDeliveriesOf(lists, query, principal),
    }),

    get('/api/webhook/delivery/detail', 'caller', 'Webhooks', {
      summary: 'Look a delivery up, with every attempt',
      query: deliveryQuery,
      data: deliveryDetail,
      handle: async ({ query, principal }) => ({ data: await readDelivery(lists, query.id, principal) }),
    }),

    post('/api/webhook/replay', 'caller', 'Webhooks', {
      summary: 'Send again: one delivery, or all since a time',
      description:
        'Under the same `X-Service-Delivery`, with tries of its own. What is under way is not sent a second time. All since ' +
        'a time is made in batches that survive a crash, also of events for which no delivery was ever made.',
      body: replayInput,
      data: replayResult,
      handle: async ({ body, principal }) => ({
        message: 'Replay queued',
        data: await replay(body, principal, deps),
      }),
    }),

    get('/api/webhook/replay/detail', 'caller', 'Webhooks', {
      summary: 'Look up how far a replay has come',
      query: replayQuery,
      data: replayRecord,
      handle: async ({ query, principal }) => ({ data: await readReplay(database, query.id, principal) }),
    }),
  ];
}
