import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { invalid } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Proceed } from '../../admission/admission.ts';
import { refuseUnstorableText } from '../json-body.ts';
import type { AddressTurns } from '../limits/address-turns.ts';
import type { ConcurrencyLimit } from '../limits/concurrency-limit.ts';
import { networkOf } from '../limits/network-of.ts';
import { nameMode, requireModeOf } from '../mode.ts';
import { requirePermission } from '../permission.ts';
import { withRawBodies } from '../raw-body.ts';
import type { Answer, Call, Endpoint, Route } from '../route.ts';
import { routeSchema } from '../route-schema.ts';
import { send, sendDocument } from './answer.ts';
import type { Authenticate, AuthenticatedRequest } from './server.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route authenticates its callers, who take turns by tenant; those of other routes do by address. */
    authenticates?: boolean;
  }
}

/** Calls `proceed` when a write of the tenant that makes so many events may begin, or with a refusal. */
export type Admit = (tenantId: number, events: number, proceed: Proceed) => void;

export interface AddRouteOptions {
  authenticate: Authenticate;
  admit?: Admit;
  turns?: ConcurrencyLimit;
  /** Callers whose credentials are not known in memory take these turns until they are authenticated. */
  unknownTurns?: AddressTurns;
}

/** Adds a route, whose handler gets `app`. The caller is authenticated and authorized before the body is read. */
export function addRoute<App>(
  server: FastifyInstance,
  route: Route<App>,
  app: App,
  { authenticate, admit, turns, unknownTurns }: AddRouteOptions,
): void {
  const { method, path, needs, endpoint } = route;
  const authenticates = needs !== 'nothing' && needs !== 'token';
  const options: RouteOptions = {
    method,
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    schema: routeSchema(route),
    config: { authenticates },
    ...(endpoint.rawBody && { bodyLimit: endpoint.rawBody.maximumBytes }),
    onRequest: (request, _reply, done) => {
      request.declaredPath = path;
      if (!authenticates) return done();
      const takeTurn = (tenantId: number) => {
        if (turns === undefined) return done();
        turns.enter(tenantId, (leave) => {
          request.leaveTurn = leave;
          done();
        });
      };
      const authorize = (principal: Principal) => {
        request.principal = { ...principal, requestId: request.id, address: request.address };
        requirePermission(needs, principal);
        const { tenantId } = principal;
        if (admit === undefined || endpoint.events === undefined) return takeTurn(tenantId);
        admit(tenantId, endpoint.events, (refusal) => (refusal === undefined ? takeTurn(tenantId) : done(refusal)));
      };
      // A thrown refusal reaches the error handler: Fastify catches what a hook throws.
      const raw = request.raw as AuthenticatedRequest;
      const cached = authenticate.cached?.(raw, request.address);
      if (cached !== undefined) return authorize(cached);
      if (unknownTurns === undefined) {
        authenticate(raw, request.address).then(authorize).catch(done);
        return;
      }
      unknownTurns.enter(networkOf(request.address), (leave) => {
        authenticate(raw, request.address).finally(leave).then(authorize).catch(done);
      });
    },
    // Not an async function, because each promise adds garbage to the create path (bench/README.md).
    handler: (request, reply) => {
      if (endpoint.query !== undefined) refuseUnstorableQuery(request.query as Record<string, unknown>);
      endpoint.handle(callOf(requireModeOf(request), endpoint), app).then(
        (answer) => respond(endpoint, answer, request, reply),
        (error) => fail(reply, error),
      );
    },
  };
  if (endpoint.rawBody === undefined) server.route(options);
  else withRawBodies(server, (part) => part.route(options));
}

function respond(endpoint: Endpoint, answer: Answer<unknown>, request: FastifyRequest, reply: FastifyReply): void {
  request.leaveTurn?.();
  if (endpoint.isEndless) request.answeredAfterMs = performance.now() - request.receivedAtMs;
  nameMode(reply, request.principal);
  if (answer.document !== undefined) {
    sendDocument(request, reply, answer).catch((error) => fail(reply, error, answer));
    return;
  }
  try {
    send(reply, answer, endpoint.message);
  } catch (error) {
    fail(reply, error, answer);
  }
}

/** Passes it to the error handler, without the headers of the answer: one of them may be what could not be written. */
function fail(reply: FastifyReply, error: unknown, { headers = {} }: Answer<unknown> = {}): void {
  for (const name of Object.keys(headers)) reply.removeHeader(name);
  reply.send(error instanceof Error ? error : new Error('Something other than an error was thrown.', { cause: error }));
}

function refuseUnstorableQuery(query: Record<string, unknown>, outer = ''): void {
  for (const [inner, value] of Object.entries(query)) {
    const name = outer === '' ? inner : `${outer}.${inner}`;
    refuseUnstorableText(inner, outer === '' ? 'query' : outer);
    if (typeof value === 'string') refuseUnstorableText(value, name);
    else if (typeof value === 'object' && value !== null) refuseUnstorableQuery(value as Record<string, unknown>, name);
  }
}

function callOf(request: FastifyRequest, { once }: Endpoint): Call<never, never> {
  return {
    body: request.body as never,
    rawBody: request.body as Buffer,
    query: request.query as never,
    params: request.params as Readonly<Record<string, string>>,
    principal: request.principal as Principal,
    requestId: request.id,
    address: request.address,
    headers: request.raw.headers,
    idempotencyKey: once ? idempotencyKeyOf(request.raw.headers) : undefined,
  };
}

function idempotencyKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && key.length >= 1 && key.length <= 255) return key;
  throw invalid('Idempotency-Key', 'Idempotency-Key must have 1 to 255 characters.');
}
