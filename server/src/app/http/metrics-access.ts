import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../core/errors.ts';
import { rule } from '../../core/refusal-rules.ts';

/**
 * Limits who may read /metrics, which show the volume of every channel: to those who send `app.metrics.token`, or
 * without that setting to programs on this machine that no proxy forwards.
 */
export function metricsReader(token: string | undefined): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    if (token === undefined) requireThisMachine(request);
    else requireToken(request.headers.authorization, token);
  };
}

function requireThisMachine({ headers, socket: { remoteAddress = '' } }: FastifyRequest): void {
  const isForwarded = Object.keys(headers).some((name) => name === 'forwarded' || name.startsWith('x-forwarded-'));
  if (!isForwarded && /^(::1|(::ffff:)?127\.[\d.]+)$/.test(remoteAddress)) return;
  const message = 'Without app.metrics.token, /metrics is for programs on this machine that no proxy forwards.';
  throw new Refusal('address_not_allowed', message);
}

function requireToken(authorization: string | undefined, token: string): void {
  if (authorization === undefined) {
    throw new Refusal('credentials_missing', rule('metrics_token_missing'));
  }
  const digestOf = (text: string) => hash('sha256', text, 'buffer');
  if (!timingSafeEqual(digestOf(authorization), digestOf(`Bearer ${token}`))) {
    throw new Refusal('credentials_invalid', rule('metrics_token'));
  }
}
