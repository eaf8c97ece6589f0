import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import { nameMode } from '../mode.ts';
import { refusalBody, statusOf } from '../refusal-reply.ts';
import { jsonType } from './broken-http.ts';

export interface RefusalObservers {
  /** Called for every refusal, with the caller if authenticated. Must not throw. */
  onRefusal?: ((refusal: Refusal, request: RefusedCall) => void) | undefined;
  /** Called for every unexpected error. */
  onDefect: (error: unknown, requestId: string) => void;
}

/** The request that was refused. */
export interface RefusedCall {
  principal: Principal | undefined;
  requestId: string;
  address: string;
  method: string;
  /** The declared path. */
  path: string;
}

/** Answers with a refusal in the envelope, whichever step made it. */
export function refuse(
  refusal: Refusal,
  request: FastifyRequest,
  reply: FastifyReply,
  { onDefect, onRefusal }: RefusalObservers,
): void {
  request.refusal = refusal;
  request.leaveTurn?.();
  nameMode(reply, request.principal);
  if (refusal.kind === 'defect') onDefect(refusal.cause ?? refusal, request.id);
  onRefusal?.(refusal, {
    principal: request.principal,
    requestId: request.id,
    address: request.address,
    method: request.method,
    path: request.declaredPath,
  });
  if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', Math.ceil(refusal.retryAfterSeconds));
  if (refusal.type === 'encoding_not_supported') reply.header('accept-encoding', 'identity');
  if (refusal.kind === 'unauthenticated') reply.header('www-authenticate', 'Bearer, ApiKey');
  reply.headers({ 'x-request-id': request.id, 'content-type': jsonType });
  reply.code(statusOf(refusal)).send(refusalBody(refusal, request.id));
}
