import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import type { Principal } from '../../../core/principal.ts';
import { refuseUnstorableText } from '../json-body.ts';
import type { TenantTurns } from '../limits/tenant-turns.ts';
import { modeHeaders, requireModeOf } from '../mode.ts';
import { requirePermission } from '../permission.ts';
import { withRawBodies } from '../raw-body.ts';
import type { Call, Route } from '../route.ts';
import { routeSchema } from '../route-schema.ts';
import { send, sendDocument } from './answer.ts';
import type { Authenticate } from './server.ts';

/** Adds a route. The caller is authenticated and authorized before the body is read. */
export function addRoute(
  app: FastifyInstance,
  route: Route,
  { authenticate, turns }: { authenticate: Authenticate; turns?: TenantTurns },
): void {
  const { method, path, needs, endpoint } = route;
  const options: RouteOptions = {
    method,
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    schema: routeSchema(route),
    ...(endpoint.rawBody && { bodyLimit: endpoint.rawBody.maximumBytes }),
    onRequest: (request, _reply, done) => {
      request.declaredPath = path;
      if (needs === 'nothing' || needs === 'token') return done();
      authenticate(request.raw as { method: string; headers: IncomingHttpHeaders }, request.ip)
        .then((principal) => {
          request.principal = { ...principal, requestId: request.id, address: request.ip };
          requirePermission(needs, principal);
          if (turns === undefined) return done();
          turns.enter(principal.tenantId, (leave) => {
            request.leaveTurn = leave;
            done();
          });
        })
        .catch(done);
    },
    // Every request is answered, also when its client has left; not every response is closed.
    onSend: (request, reply, payload, done) => {
      request.leaveTurn?.();
      if (endpoint.isEndless) request.answeredAfterMs = reply.elapsedTime;
      reply.headers(modeHeaders(request.principal));
      done(null, payload);
    },
    handler: async (request, reply) => {
      if (endpoint.query !== undefined) refuseUnstorableQuery(request.query as Record<string, unknown>);
      const answer = await endpoint.handle(callOf(requireModeOf(request)));
      return answer.document === undefined ? send(reply, answer) : sendDocument(request, reply, answer);
    },
  };
  if (endpoint.rawBody === undefined) app.route(options);
  else withRawBodies(app, (part) => part.route(options));
}

function refuseUnstorableQuery(query: Record<string, unknown>, outer = ''): void {
  for (const [inner, value] of Object.entries(query)) {
    const name = outer === '' ? inner : `${outer}.${inner}`;
    refuseUnstorableText(inner, outer === '' ? 'query' : outer);
    if (typeof value === 'string') refuseUnstorableText(value, name);
    else if (typeof value === 'object' && value !== null) refuseUnstorableQuery(value as Record<string, unknown>, name);
  }
}

function callOf(request: FastifyRequest): Call<never, never> {
  return {
    body: request.body as never,
    rawBody: request.body as Buffer,
    query: request.query as never,
    params: request.params as Readonly<Record<string, string>>,
    principal: request.principal as Principal,
    requestId: request.id,
    address: request.ip,
    headers: request.raw.headers,
  };
}
