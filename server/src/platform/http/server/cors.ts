import type { FastifyReply, FastifyRequest } from 'fastify';

/** What a browser application may send, and read of an answer, besides what browsers always allow. */
const requestHeaders = 'Authorization, Content-Type, Idempotency-Key, X-Request-Id';
const exposedHeaders =
  'X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Idempotency-Replayed, Content-Disposition, ' +
  'X-Total-Count, WWW-Authenticate';

const preflightSeconds = 600;

/** Whether it was a preflight request, which is answered. */
export type Cors = (request: FastifyRequest, reply: FastifyReply) => boolean;

/**
 * Lets browser applications of these origins call the service (Fetch standard, CORS protocol). The `*` of all origins
 * and cookies are never allowed: callers authenticate by the Authorization header alone. Answers preflight requests of
 * these origins itself; what other origins ask is answered as without CORS, and their browsers discard it.
 */
export function corsFor(origins: readonly string[]): Cors {
  const allowed = new Set(origins);
  return ({ method, headers }, reply) => {
    reply.header('vary', 'Origin'); // Caches must not give one origin the answer to another.
    if (headers.origin === undefined || !allowed.has(headers.origin)) return false;
    reply.header('access-control-allow-origin', headers.origin);
    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) {
      reply.header('access-control-expose-headers', exposedHeaders);
      return false;
    }
    reply
      .headers({
        'access-control-allow-methods': 'GET, HEAD, POST',
        'access-control-allow-headers': requestHeaders,
        'access-control-max-age': preflightSeconds,
      })
      .code(204)
      .send();
    return true;
  };
}
