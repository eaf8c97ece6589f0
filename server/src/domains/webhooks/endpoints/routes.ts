import { Type } from 'typebox';
import { notFound } from '../../../core/errors.ts';
import type { Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import type { WebhooksApp } from '../app.ts';
import { listEndpointsOf, recordOf } from './list.ts';
import { findManagedEndpoint } from './managed-endpoint.ts';
import { modifyEndpoint } from './modify.ts';
import { pingEndpoint } from './ping.ts';
import { registerEndpoint } from './register.ts';
import { removeEndpoint } from './remove.ts';
import { rotateSecret } from './rotate.ts';
import {
  endpointInput,
  endpointListQuery,
  endpointQuery,
  endpointRecord,
  modifyInput,
  pingResult,
  registeredEndpoint,
  registerInput,
  rotateInput,
} from './schema.ts';

const { get, post, postOnce } = routesFor<WebhooksApp>();

export const endpointRoutes: readonly Route<WebhooksApp>[] = [
  postOnce('/api/webhook/register', 'webhook_write', 'Webhooks', {
    summary: 'Register a webhook endpoint',
    description:
      "Events of the caller's tenant, in the mode of the endpoint, are posted to the endpoint from now on, " +
      'signed. The caller also needs the read scope of every event type in `events`. ' +
      'A repeat with the same `Idempotency-Key` gets the first response again, without the generated secret: ' +
      'rotate it if that response was lost.',
    body: registerInput,
    refuses: ['webhook_address_forbidden', 'webhook_limit_reached'],
    data: registeredEndpoint,
    message: (_, registered) =>
      registered?.secret === undefined
        ? 'Webhook registered'
        : 'Webhook registered. Keep its secret now: it is not shown again',
    handle: async ({ body, principal, idempotencyKey }, app) => {
      const { row, generatedSecret, replayed } = await registerEndpoint(body, principal, app, idempotencyKey);
      const { id, livemode, url, events, state, created_at: createdTime } = row;
      const secret = generatedSecret !== undefined && { secret: generatedSecret };
      return { answer: { id, livemode, url, events, state, createdTime, ...secret }, replayed };
    },
  }),

  get('/api/webhook/list', 'webhook_read', 'Webhooks', {
    summary: 'List webhook endpoints',
    description:
      'Newest first: endpoints whose subscribed event types the caller may all read. Secrets are never shown.',
    query: endpointListQuery,
    data: Type.Array(endpointRecord),
    paged: true,
    handle: ({ query, principal }, app) => listEndpointsOf(app.database, query, principal, app.clock()),
  }),

  get('/api/webhook/detail', 'webhook_read', 'Webhooks', {
    summary: 'Get a webhook endpoint',
    description:
      'Without its secret. Also needs the read scope of every event type that it subscribes to. ' +
      'A removed endpoint is absent.',
    query: endpointQuery,
    data: endpointRecord,
    handle: async ({ query: { id }, principal }, app) => {
      const row = await findManagedEndpoint(app.database, id, principal);
      if (row.removed_at !== null) throw notFound('webhook', id);
      return { data: recordOf(row, app.clock()) };
    },
  }),

  post('/api/webhook/modify', 'webhook_write', 'Webhooks', {
    summary: 'Change a webhook endpoint',
    description:
      'Fields left out keep their value. Open deliveries go to the new URL. ' +
      'Enabling an endpoint clears its failures; events that happened while it was disabled can be replayed. ' +
      '`retry` ends a pause after failures.',
    body: modifyInput,
    refuses: ['webhook_address_forbidden'],
    data: endpointRecord,
    message: 'Webhook saved',
    handle: async (call, app) => ({ data: recordOf(await modifyEndpoint(call, app), app.clock()) }),
  }),

  post('/api/webhook/remove', 'webhook_write', 'Webhooks', {
    summary: 'Remove a webhook endpoint',
    description:
      'Cannot be undone. Open deliveries are CANCELLED; deliveries stay readable. ' +
      'Removing an endpoint again is not an error.',
    body: endpointInput,
    data: endpointRecord,
    message: 'Webhook removed',
    handle: async (call, app) => ({ data: recordOf(await removeEndpoint(call, app), app.clock()) }),
  }),

  post('/api/webhook/rotate', 'webhook_write', 'Webhooks', {
    operationId: 'rotateWebhookSecret',
    summary: "Change a webhook endpoint's secret",
    description:
      'In two steps. `secret` stages the next secret: `webhook-signature` then carries the signatures of both ' +
      'secrets, `X-Service-Signature` that of the present one. ' +
      '`promote`, or the time `promoteAt`, makes it the present one.',
    body: rotateInput,
    refuses: ['no_secret_staged'],
    data: endpointRecord,
    handle: async (call, app) => ({
      message: call.body.promote ? 'Secret promoted' : 'Secret staged',
      data: recordOf(await rotateSecret(call, app), app.clock()),
    }),
  }),

  post('/api/webhook/test', 'webhook_write', 'Webhooks', {
    summary: 'Send a ping to a webhook endpoint',
    events: 1,
    description:
      'Enqueues an event of the type `webhook.ping` to this endpoint only, whatever its subscriptions. It is signed, ' +
      'retried and listed among the deliveries like any other event. It goes before deliveries that wait, and to an ' +
      'endpoint that is paused after failures too.',
    body: endpointInput,
    refuses: ['webhook_inactive'],
    data: pingResult,
    message: 'Ping queued',
    handle: async (call, app) => ({ data: { deliveryId: await pingEndpoint(call, app) } }),
  }),
];
