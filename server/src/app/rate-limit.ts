import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../core/errors.ts';

/** Limits how many requests one caller makes in a minute, all their keys together. Off unless it is set. */
export async function addRateLimit(app: FastifyInstance, requestsPerMinute: number | undefined): Promise<void> {
  if (requestsPerMinute === undefined) return;
  await app.register(rateLimit, {
    max: requestsPerMinute,
    timeWindow: '1 minute',
    hook: 'preHandler', // The caller is known by then.
    keyGenerator: (request) => (request.principal === undefined ? request.ip : `user ${request.principal.userId}`),
    allowList: (request) => request.principal === undefined,
    errorResponseBuilder: (_request, { ttl }) =>
      new Refusal('too_many_requests', `At most ${requestsPerMinute} requests a minute are served to one caller.`, {
        retryAfterSeconds: Math.ceil(ttl / 1000),
      }),
  });
}
