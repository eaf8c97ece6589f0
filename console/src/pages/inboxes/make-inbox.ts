import { post } from '../../api/client.ts';
import type { Inbox, WebhookEndpoint } from '../../api/records.ts';

/**
 * Makes an inbox and registers it as an endpoint for every event, with one secret for both: so that the inbox can verify what
 * it is sent. The secret is drawn here, given to the service twice, and forgotten.
 */
export async function makeConnectedInbox(livemode: boolean): Promise<{ inbox: Inbox; endpoint: WebhookEndpoint }> {
  const secret = [...crypto.getRandomValues(new Uint8Array(24))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  const inbox = (await post<Inbox & { url: string }>('/api/inbox/create', { secret })).data;
  const endpoint = await post<WebhookEndpoint>('/api/webhook/register', {
    url: inbox.url,
    events: ['*'],
    secret,
    livemode,
  });
  return { inbox, endpoint: endpoint.data };
}
