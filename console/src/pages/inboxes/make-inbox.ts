import { type CreatedInbox, call, type RegisteredWebhookEndpoint } from '../../api/client.ts';

interface Connected {
  inbox: CreatedInbox;
  endpoint: RegisteredWebhookEndpoint;
}

/**
 * Creates an inbox and registers it as an endpoint for every event. Both have the same secret, so that the inbox can
 * verify its messages. The secret is generated here and not kept.
 */
export async function makeConnectedInbox(livemode: boolean): Promise<Connected> {
  const secret = [...crypto.getRandomValues(new Uint8Array(24))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  const inbox = (await call('inboxes.create', { secret })).data;
  const endpoint = await call('webhooks.register', {
    url: inbox.url,
    events: ['*'],
    secret,
    livemode,
  });
  return { inbox, endpoint: endpoint.data };
}
