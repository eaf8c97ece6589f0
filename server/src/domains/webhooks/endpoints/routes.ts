import { Type } from 'typebox';
import { notFound } from '../../../core/errors.ts';
import { postOnce } from '../../../platform/http/idempotency.ts';
import { get, post, type Route } from '../../../platform/http/route.ts';
import { listEndpointsOf, recordOf } from './list.ts';
import { findManagedEndpoint } from './managed-endpoint.ts';
import { modifyEndpoint } from './modify.ts';
import { pingEndpoint } from './ping.ts';
import { type RegisterDeps, registerEndpoint } from './register.ts';
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

export function endpointRoutes(deps: RegisterDeps): Route[] {
  const { database, clock } = deps;
  return [
    postOnce('/api/webhook/register', 'webhook_write', 'Webhooks', {
      summary: 'Register a webhook endpoint',
      description:
        "Events of the caller's tenant, in the mode of the endpoint, are posted to the endpoint from now on, signed. The caller also needs the read scope of " +
        'every event type in `events`. A repeat with the same `Idempotency-Key` gets the first response again, without the ' +
        'generated secret: rotate it if that response was lost.',
      body: registerInput,
      refuses: ['webhook_address_forbidden', 'webhook_limit_reached'],
      data: registeredEndpoint,
      message: (_, registered) =>
        registered?.secret === undefined
          ? 'Webhook registered'
          : 'Webhook registered. Keep its secret now: it is not shown again',
      perform: async ({ body, principal }, key) => {
        const { row, generatedSecret, replayed } = await registerEndpoint(body, principal, deps, key);
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
      handle: ({ query, principal }) => listEndpointsOf(database, query, principal, clock()),
    }),

    get('/api/webhook/detail', 'webhook_read', 'Webhooks', {
      summary: 'Get a webhook endpoint',
      description:
        'Without its secret. Also needs the read scope of every event type that it subscribes to. A removed endpoint is absent.',
      query: endpointQuery,
      data: endpointRecord,
      handle: async ({ query: { id }, principal }) => {
        const row = await findManagedEndpoint(database, id, principal);
        if (row.removed_at !== null) throw notFound('webhook', id);
        return { data: recordOf(row, clock()) };
      },
    }),

    post('/api/webhook/modify', 'webhook_write', 'Webhooks', {
      summary: 'Change a webhook endpoint',
      description:
        'Fields left out keep their value. Open deliveries go to the new URL. Enabling an endpoint clears its failures; ' +
        'events that happened while it was disabled can be replayed.',
      body: modifyInput,
      refuses: ['webhook_address_forbidden'],
      data: endpointRecord,
      handle: async ({ body, principal }) => ({
        message: 'Webhook saved',
        data: recordOf(await modifyEndpoint(body, principal, deps), clock()),
      }),
    }),

    post('/api/webhook/remove', 'webhook_write', 'Webhooks', {
      summary: 'Remove a webhook endpoint',
      description:
        'Cannot be undone. Open deliveries are CANCELLED; deliveries stay readable. Removing an endpoint again is not an error.',
      body: endpointInput,
      data: endpointRecord,
      handle: async ({ body, principal }) => ({
        message: 'Webhook removed',
        data: recordOf(await removeEndpoint(body.id, principal, deps), clock()),
      }),
    }),

    post('/api/webhook/rotate', 'webhook_write', 'Webhooks', {
      operationId: 'rotateWebhookSecret',
      summary: "Change a webhook endpoint's secret",
      description:
        'In two steps. `secret` stages the next secret: `webhook-signature` then carries the signatures of both secrets, ' +
        '`X-Service-Signature` that of the present one. `promote`, or the time `promoteAt`, makes it the present one.',
      body: rotateInput,
      refuses: ['no_secret_staged'],
      data: endpointRecord,
      handle: async ({ body, principal }) => ({
        message: body.promote ? 'Secret promoted' : 'Secret staged',
        data: recordOf(await rotateSecret(body, principal, deps), clock()),
      }),
    }),

    post('/api/webhook/test', 'webhook_write', 'Webhooks', {
      summary: 'Send a ping to a webhook endpoint',
      events: 1,
      description:
        'Enqueues an event of the type `webhook.ping` to this endpoint only, whatever its subscriptions. It is signed, ' +
        'retried and listed among the deliveries like any other event.',
      body: endpointInput,
      refuses: ['webhook_inactive'],
      data: pingResult,
      handle: async ({ body, principal }) => ({
        message: 'Ping queued',
        data: { deliveryId: await pingEndpoint(body.id, principal, deps) },
      }),
    }),
  ];
}
