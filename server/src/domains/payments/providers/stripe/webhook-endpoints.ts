import type Stripe from 'stripe';
import { isStripeApiError } from './declines.ts';
import { events } from './vocabulary.ts';

/** It repeats what `refund.updated` says. */
const superseded = 'charge.refund.updated';

/** The events that an endpoint at Stripe should send. */
export const neededEvents: readonly string[] = Object.entries(events)
  .filter(([type, meaning]) => typeof meaning === 'string' && type !== superseded)
  .map(([type]) => type);

/**
 * The needed events that no endpoint with this address sends; all of them where there is none. Undefined if the API key
 * may not read endpoints.
 */
export async function unsentEvents(stripe: Stripe, callbackUrl: string): Promise<readonly string[] | undefined> {
  const addresses = [callbackUrl, callbackUrl.slice(0, callbackUrl.lastIndexOf('/'))];
  const sent = new Set<string>();
  try {
    for await (const { url, status, enabled_events } of stripe.webhookEndpoints.list({ limit: 100 })) {
      if (status !== 'enabled' || !addresses.includes(url)) continue;
      for (const type of enabled_events) sent.add(type);
    }
  } catch (error) {
    if (isStripeApiError(error) && [401, 403].includes(error.statusCode ?? 0)) return undefined;
    throw error;
  }
  return sent.has('*') ? [] : neededEvents.filter((type) => !sent.has(type));
}
