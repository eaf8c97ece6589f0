/**
 * Sends a request to a provider once, without retries: only Florin knows whether a repetition is safe. A read is sent
 * again at once if its connection breaks, as it does when the provider closes an idle one at that moment: it changes
 * nothing, and the next look-up may be an hour away.
 */
export async function fetchOnce(url: string | URL | Request, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    const isRead = (init.method ?? 'GET') === 'GET';
    if (!isRead || init.signal?.aborted) throw error;
    return fetch(url, init);
  }
}
