import { Type } from 'typebox';
import { get, post, type Route } from '../../../platform/http/route.ts';
import { listEndpointsOf, type ManagementDeps, recordOf } from './endpoints.ts';
import { modifyWebhook } from './modify.ts';
import { pingWebhook } from './ping.ts';
import { registerEndpoint } from './register.ts';
import { removeWebhook } from './remove.ts';
import { rotateSecret } from './rotate.ts';
import {
  endpointInput,
  endpointListQuery,
  endpointRecord,
  modifyInput,
  pingResult,
  registeredEndpoint,
  registerInput,
  rotateInput,
} from './schema.ts';

export function webhookRoutes(deps: ManagementDeps): Route[] {
  const { database, clock } = deps;
  return [
    post('/api/webhook/register', 'caller', 'Webhooks', {
      summary: 'Register a webhook endpoint',
      description:
        "Events of the caller's tenant that happen from now on are posted there, signed. Needs the read scope of every " +
        'event type asked for: a caller can have pushed to it only what it may read.',
      body: registerInput,
      data: registeredEndpoint,
      handle: async ({ body, principal }) => {
        const { id, url, events, state, created_at } = await registerEndpoint(body, principal, deps);
        return { message: 'Webhook registered', data: { id, url, events, state, createdTime: created_at } };
      },
    }),

    get('/api/webhook/list', 'caller', 'Webhooks', {
      summary: 'List webhook endpoints',
      description: 'Newest first: those of which the caller may read everything that is sent to them. Never a secret.',
      query: endpointListQuery,
      data: Type.Array(endpointRecord),
      paged: true,
      handle: ({ query, principal }) => listEndpointsOf(database, query, principal, clock()),
    }),

    post('/api/webhook/modify', 'caller', 'Webhooks', {
      summary: 'Change a webhook endpoint',
      description:
        'What is left out stays. Deliveries that wait go to the new address. Switched on again, an endpoint begins as if ' +
        'nothing had been wrong; what happened meanwhile can be replayed.',
      body: modifyInput,
      data: endpointRecord,
      handle: async ({ body, principal }) => ({
        message: 'Webhook saved',
        data: recordOf(await modifyWebhook(body, principal, deps), clock()),
      }),
    }),

    post('/api/webhook/remove', 'caller', 'Webhooks', {
      summary: 'Remove a webhook endpoint',
      description:
        'For good. What waits for it is CANCELLED; its deliveries stay readable. Removing it again is no error.',
      body: endpointInput,
      data: endpointRecord,
      handle: async ({ body, principal }) => ({
        message: 'Webhook removed',
        data: recordOf(await removeWebhook(body.id, principal, deps), clock()),
      }),
    }),

    post('/api/webhook/rotate', 'caller', 'Webhooks', {
      summary: "Change a webhook endpoint's secret",
      description:
        'In two steps. With `secret` the next one is staged: `webhook-signature` then carries the signatures of both, ' +
        '`X-Service-Signature` that of the present one. With `promote`, or at `promoteAt`, the staged one takes its place.',
      body: rotateInput,
      data: endpointRecord,
      handle: async ({ body, principal }) => ({
        message: body.promote ? 'Secret promoted' : 'Secret staged',
        data: recordOf(await rotateSecret(body, principal, deps), clock()),
      }),
    }),

    post('/api/webhook/test', 'caller', 'Webhooks', {
      summary: 'Send a webhook endpoint a ping',
      description:
        'An event of the type `webhook.ping`, to this endpoint alone, whatever it subscribed to: queued, signed, tried ' +
        'again and shown among its deliveries like any other.',
      body: endpointInput,
      data: pingResult,
      handle: async ({ body, principal }) => ({
        message: 'Ping queued',
        data: { deliveryId: await pingWebhook(body.id, principal, deps) },
      }),
    }),
  ];
}
