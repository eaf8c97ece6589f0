import { endpoint } from '../../platform/http/route.ts';
import { registerEndpoint, type WebhookDeps } from './register.ts';
import { registeredEndpoint, registerInput } from './schema.ts';

export function webhookEndpoints(deps: WebhookDeps) {
  return {
    register: endpoint({
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
  };
}
