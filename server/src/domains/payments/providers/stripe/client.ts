import Stripe from 'stripe';
import { fetchOnce } from '../fetch-once.ts';
import type { Call } from '../provider.ts';

/** The address of Stripe or of a simulator. Stripe's library takes host and port but no path. */
export interface Address {
  host: string;
  port: string;
  protocol: 'http' | 'https';
}

export function addressOf(url: string): Address {
  const { hostname, port, protocol } = new URL(url);
  const secure = protocol === 'https:';
  return { host: hostname, port: port || (secure ? '443' : '80'), protocol: secure ? 'https' : 'http' };
}

/**
 * Stripe's library for one call; constructing it takes 0.1 ms. It sends requests through `fetch`, for three reasons:
 * - The call's signal aborts a request at any point. The library's own client only limits how long a socket may be
 *   idle, so an answer that arrives byte by byte never ends.
 * - The library's own client repeats a request after a connection reset even if retries are off
 *   (https://github.com/stripe/stripe-node/issues/2808). With `fetch` it does not, because that error is a nested
 *   cause.
 * - Following a redirect would send our request to another host.
 * Telemetry is off: it would write an id into the home directory of the account that runs Florin.
 */
export function stripeClient(apiKey: string, { signal, timeoutMs }: Call, address: Address): Stripe {
  const untilDeadline: typeof fetch = (input, init) =>
    fetchOnce(input, {
      ...init,
      redirect: 'error',
      signal: AbortSignal.any([signal, ...(init?.signal ? [init.signal] : [])]),
    });
  return new Stripe(apiKey, {
    ...address,
    httpClient: Stripe.createFetchHttpClient(untilDeadline),
    maxNetworkRetries: 0,
    timeout: timeoutMs,
    telemetry: false,
  });
}

/**
 * Whether this is a secret or restricted key. Rejects text that cannot be a header value: the error would quote the
 * key.
 */
export function isApiKey(apiKey: string | null): apiKey is string {
  return apiKey !== null && /^[sr]k_\w{1,250}$/.test(apiKey);
}
