/** Complete HTTP requests, head and body, for the load generator. */

/** Creates with different amounts, descriptions and metadata. */
export function createRequests(key: string, channelId: number, different = 64): string[] {
  return createRequestsOf(`ApiKey ${key}`, channelId, different);
}

/** The same with any Authorization header. */
export function createRequestsOf(authorization: string, channelId: number, different = 64): string[] {
  return Array.from({ length: different }, (_, i) =>
    post('/api/transaction/create', authorization, {
      amount: 1000 + i,
      currency: 'USD',
      channelId,
      description: `Order ${1000 + i}, two items`,
      metadata: { order: String(1000 + i), source: 'shop' },
    }),
  );
}

export function detailRequests(key: string, publicIds: readonly string[]): string[] {
  return publicIds.map((id) => get(`/api/transaction/detail?id=${id}`, key));
}

export function get(path: string, key: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ApiKey ${key}\r\n\r\n`;
}

function post(path: string, authorization: string, body: object): string {
  const text = JSON.stringify(body);
  return (
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  );
}
