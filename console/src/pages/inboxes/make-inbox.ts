import { type CreatedInbox, call, type RegisteredWebhookEndpoint } from '../../api/client.ts';

interface Connected {
  inbox: CreatedInbox;
  endpoint: RegisteredWebhookEndpoint;
}

/**
 * Makes an inbox and registers it as an endpoint for every event, with one secret for both: so that the inbox can verify what
 * it is sent. The secret is drawn here, given to the service twice, and forgotten.
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
