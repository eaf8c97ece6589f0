import Stripe from 'stripe';
import type { Call } from '../provider.ts';

/** Where Stripe is reached: its own address, or a simulator's. Stripe's library knows hosts and ports, and no paths. */
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
 * Stripe's library for one call, 0.1 ms to make. It requests through `fetch`, for three reasons:
 * - The call's signal ends a request at any point. The library's own client knows only how long a socket may be idle, so
 *   that an answer that drips never ends.
 * - Its own client repeats a request whose connection was reset even where retries are off
 *   (https://github.com/stripe/stripe-node/issues/2808); `fetch` has that error inside of another.
 * - A redirect would carry what we ask to wherever it points.
 * Telemetry is off: it would write an id into the home directory of whoever runs Florin.
 */
export function stripeClient(apiKey: string, { signal, timeoutMs }: Call, address: Address): Stripe {
  const untilDeadline: typeof fetch = (input, init) =>
    fetch(input, {
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

/** A secret key, or one with restricted rights. Also keeps out what cannot stand in a header, whose error would quote it. */
export function isApiKey(apiKey: string | null): apiKey is string {
  return apiKey !== null && /^[sr]k_\w{1,250}$/.test(apiKey);
}
