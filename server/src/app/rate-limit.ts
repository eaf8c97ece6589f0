import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../core/errors.ts';

/** Limits the requests per minute of one user, all API keys together. Undefined: no limit. */
export async function addRateLimit(app: FastifyInstance, requestsPerMinute: number | undefined): Promise<void> {
  if (requestsPerMinute === undefined) return;
  await app.register(rateLimit, {
    max: requestsPerMinute,
    timeWindow: '1 minute',
    hook: 'preHandler', // Runs after authentication.
    keyGenerator: (request) => (request.principal === undefined ? request.ip : `user ${request.principal.userId}`),
    allowList: (request) => request.principal === undefined,
    errorResponseBuilder: (_request, { ttl }) =>
      new Refusal('too_many_requests', `At most ${requestsPerMinute} requests a minute are served to one caller.`, {
        retryAfterSeconds: Math.ceil(ttl / 1000),
      }),
  });
}
