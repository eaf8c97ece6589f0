import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, Server } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { invalid, Refusal } from '../../../core/errors.ts';
import { modeHeader } from '../../../core/livemode.ts';
import type { Principal } from '../../../core/principal.ts';
import { maximumBodyBytes, parseJsonBody, refuseEncoded } from '../json-body.ts';
import { callerAddress } from '../limits/caller-address.ts';
import { limitConnections } from '../limits/connection-limit.ts';
import { addressMatcher } from '../limits/network-of.ts';
import { nameMode } from '../mode.ts';
import { refusalBody, statusOf, toRefusal } from '../refusal-reply.ts';
import { compileSerializer } from '../serialization.ts';
import { compileSchema } from '../validation.ts';
import { withoutBasePath } from './base-path.ts';
import { brokenHttpRefusal, jsonType, refuseConnection } from './broken-http.ts';
import { continueWhenRead } from './continue.ts';
import { corsFor } from './cors.ts';
import { Drain } from './drain.ts';
import { KnownMethods } from './known-methods.ts';
import { ObservedResponse } from './observed-response.ts';
import { parseQuery } from './query-string.ts';
import { securityHeaders } from './security-headers.ts';
import { closeSilentConnections } from './silent-connections.ts';
import { repeatedHeader } from './single-headers.ts';

/**
 * Identifies the caller by the headers of the request and its address, or throws a refusal. `isCheck`: an open stream
 * is checked again, which does not count as a use of the session or key.
 */
export interface Authenticate {
  (request: AuthenticatedRequest, address: string, options?: { isCheck?: boolean }): Promise<Principal>;
  /**
   * The caller, if cached in memory, without a promise: promises add garbage to the create path. Throws the same
   * refusals.
   */
  cached?: (request: AuthenticatedRequest, address: string) => Principal | undefined;
}

export interface AuthenticatedRequest {
  method: string;
  headers: IncomingHttpHeaders;
  /** The connection. */
  socket?: object;
}

export interface HttpServerOptions {
  authenticate: Authenticate;
  /** Called for every reply, for metrics and the log, also if its client has left. Must not throw. */
  onReply: (reply: ReplyFacts) => void;
  /** Called for every refusal, with the caller if authenticated. Must not throw. */
  onRefusal?: ((refusal: Refusal, request: RefusedCall) => void) | undefined;
  /** Called for every unexpected error. */
  onDefect: (error: unknown, requestId: string) => void;
  /** Addresses and networks of the proxies whose X-Forwarded-For is trusted. */
  trustProxy?: string[] | undefined;
  /** Open connections allowed from one address other than a proxy's; without it they are not limited. */
  connectionsPerAddress?: number | undefined;
  /** Open connections allowed in all; without it they are not limited. */
  connections?: number | undefined;
  /** How browsers reach the service. If it begins with https, answers tell browsers to use HTTPS only. */
  publicUrl?: string | undefined;
  /** The path of `publicUrl`: requests may begin with it. Default: none. */
  basePath?: string | undefined;
  /** The page for a browser at an address that does not exist; undefined: the refusal is sent. */
  unknownPage?: ((request: FastifyRequest) => UnknownPage | undefined) | undefined;
  /** Origins of browser applications that may call the service. Default: only its own origin. */
  corsOrigins?: readonly string[] | undefined;
  /** Shorter than `socketOptions` in tests. */
  timeouts?: Partial<typeof socketTimeouts> | undefined;
  /** Provides a server with `socketOptions`; without it one is created. */
  serverFactory?: ((handler: RequestListener) => Server) | undefined;
}

export interface UnknownPage {
  headers: Record<string, string>;
  content: string | Buffer;
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

export interface ReplyFacts {
  method: string;
  /** The declared path, never the one sent: it labels a metric. */
  path: string;
  status: number;
  durationMs: number;
  requestId: string;
  /** The refusal, if it was one. */
  refusal: Refusal | undefined;
  /** The caller, if authenticated. */
  principal: Principal | undefined;
  /** The headers of the request. */
  headers: IncomingHttpHeaders;
  /** The mode that the answer named (`mode.ts`). */
  mode: string | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | undefined;
    refusal: Refusal | undefined;
    /** The caller's, in its usual notation. Fastify's `ip` is that of the connection. */
    readonly address: string;
    /** Ends the request's turn (`ConcurrencyLimit`, `AddressTurns`). */
    leaveTurn: (() => void) | undefined;
    /** `performance.now()` when its headers had been received. */
    receivedAtMs: number;
    /** The time until the answer of an endless stream began; the time until it ends says nothing about the service. */
    answeredAfterMs: number | undefined;
    /** The declared path. Fastify would build the whole description of the route to return it. */
    declaredPath: string;
  }
}

const socketTimeouts = {
  headersTimeout: 10_000,
  /** For the whole request, body included. */
  requestTimeout: 20_000,
  /** Both are checked only this often; at Node's default of 30 s a request of 20 s could take 50. */
  connectionsCheckingInterval: 1_000,
};

export const socketOptions = {
  ...socketTimeouts,
  keepAliveTimeout: 0, // `closeSilentConnections` closes idle connections.
  requireHostHeader: false, // Node would answer without the envelope; it is refused below.
  ServerResponse: ObservedResponse,
};

/** An HTTP server that answers in the envelope and authenticates its callers. Add routes before it listens. */
export function httpServer(options: HttpServerOptions): FastifyInstance {
  const everyAnswer = securityHeaders(options.publicUrl ?? '');
  const cors = options.corsOrigins && corsFor(options.corsOrigins);
  const timeouts = { ...socketTimeouts, ...options.timeouts };
  const { basePath = '' } = options;
  const isProxy = addressMatcher(options.trustProxy ?? []);
  const app = Fastify({
    logger: false,
    bodyLimit: maximumBodyBytes,
    requestTimeout: timeouts.requestTimeout,
    http: { ...socketOptions, ...timeouts },
    ...(options.serverFactory && { serverFactory: options.serverFactory }),
    genReqId: requestIdOf,
    ...(basePath !== '' && { rewriteUrl: ({ url = '' }: IncomingMessage) => withoutBasePath(url, basePath) }),
    routerOptions: { ignoreTrailingSlash: true, querystringParser: parseQuery },
    exposeHeadRoutes: true,
    return503OnClosing: false, // Requests on open connections are still served while the server drains.
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => refuse(toRefusal(error), request, reply.headers(everyAnswer), options),
    clientErrorHandler: (error: NodeJS.ErrnoException, socket) => {
      if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
      else {
        refuseConnection(socket, { ...brokenHttpRefusal(error), requestId: nextRequestId(), headers: everyAnswer });
      }
    },
  });
  limitConnections(app.server, {
    perAddress: options.connectionsPerAddress,
    inAll: options.connections,
    isProxy,
    refuse: (socket, limit) =>
      refuseConnection(socket, {
        ...connectionRefusals(options)[limit],
        requestId: nextRequestId(),
        headers: { ...everyAnswer, 'Retry-After': '1' },
      }),
  });
  app.setValidatorCompiler(compileSchema as never);
  app.setSerializerCompiler(compileSerializer as never);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      refuseEncoded(request.headers['content-encoding']);
      done(null, parseJsonBody(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  app.decorateRequest('address', {
    getter() {
      const { headers, socket } = this.raw;
      // Node joins repeated ones.
      const forwardedFor = headers['x-forwarded-for'] as string | undefined;
      return callerAddress({ remoteAddress: socket.remoteAddress, forwardedFor }, isProxy);
    },
  });
  app.decorateRequest('principal', undefined);
  app.decorateRequest('refusal', undefined);
  app.decorateRequest('leaveTurn', undefined);
  app.decorateRequest('receivedAtMs', 0);
  app.decorateRequest('answeredAfterMs', undefined);
  app.decorateRequest('declaredPath', 'other');
  const drain = new Drain(app);
  const onEnd = (reply: FastifyReply) => {
    const nowMs = performance.now();
    drain.ended(reply, nowMs);
    options.onReply(factsOf(reply, nowMs));
  };
  app.addHook('onRequest', (request, reply, done) => {
    request.receivedAtMs = performance.now();
    drain.began(reply);
    (reply.raw as ObservedResponse).observe(reply, onEnd);
    reply.headers(everyAnswer);
    reply.header('x-request-id', request.id);
    const unmet = repeatedHeader(request.raw) ?? unmetOf(request);
    if (unmet !== undefined || cors?.(request, reply) !== 'answered') done(unmet);
  });
  app.server.keepAliveTimeout = socketOptions.keepAliveTimeout; // As an option Fastify would take 0 for its default.
  closeSilentConnections(app.server);
  continueWhenRead(app.server);
  // Node would answer 417 by itself, without the envelope.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  const methods = new KnownMethods();
  app.addHook('onRoute', ({ method, url }) => methods.add(url, [method].flat()));
  const refuseUnknown = (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.originalUrl.split('?')[0] as string;
    const allowed = methods.of(request.url.split('?')[0] as string);
    // A wildcard route may accept the method and still find nothing.
    if (allowed.length === 0 || allowed.includes(request.method)) {
      const refusal = new Refusal('path_unknown', `There is no ${request.method} ${path}.`);
      const page = request.method === 'GET' ? options.unknownPage?.(request) : undefined;
      if (page === undefined) return refuse(refusal, request, reply, options);
      request.refusal = refusal; // For the log.
      reply.code(statusOf(refusal)).headers(page.headers).send(page.content);
      return;
    }
    const message = `${path} does not take ${request.method}, only ${allowed.join(', ')}.`;
    reply.header('allow', allowed.join(', '));
    refuse(new Refusal('method_not_allowed', message, { details: { allowed } }), request, reply, options);
  };
  app.setNotFoundHandler(refuseUnknown);
  // Before a body is read, or demanded by the method QUERY.
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (request.is404) refuseUnknown(request, reply);
    else done(null, payload);
  });
  app.setErrorHandler((error, request, reply) =>
    refuse(toRefusal(error, request.routeOptions.bodyLimit), request, reply, options),
  );
  return app;
}

const connectionRefusals = ({ connectionsPerAddress }: HttpServerOptions) =>
  ({
    perAddress: {
      status: 429,
      type: 'too_many_requests',
      message: `One address may have ${connectionsPerAddress} connections open.`,
    },
    inAll: { status: 503, type: 'overloaded', message: 'Too many connections are open just now. Try again shortly.' },
  }) as const;

function factsOf(reply: FastifyReply, nowMs: number): ReplyFacts {
  const { request } = reply;
  return {
    method: request.method,
    path: request.declaredPath,
    status: reply.statusCode,
    durationMs: request.answeredAfterMs ?? nowMs - request.receivedAtMs,
    requestId: request.id,
    refusal: request.refusal,
    principal: request.principal,
    headers: request.raw.headers,
    mode: reply.getHeader(modeHeader) as string | undefined,
  };
}

/** Refuses requests without Host or with an unknown Expect. HTTP/1.0 has neither header. */
function unmetOf({ headers: { host, expect }, raw: { httpVersion } }: FastifyRequest): Refusal | undefined {
  if (httpVersion === '1.0') return undefined;
  if (host === undefined) return invalid('Host', 'A Host header is required.');
  if (expect === undefined || expect.toLowerCase() === '100-continue') return undefined;
  return new Refusal('expectation_not_supported', 'The only expectation that can be met is 100-continue.');
}

function refuse(
  refusal: Refusal,
  request: FastifyRequest,
  reply: FastifyReply,
  { onDefect, onRefusal }: Pick<HttpServerOptions, 'onDefect' | 'onRefusal'>,
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

/** A caller may send its own request id, if it is short and plain; it is on the reply and in the log. */
export function requestIdOf(request: IncomingMessage | { headers: IncomingMessage['headers'] }): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : nextRequestId();
}

/** Random: a number that counts up would show every caller how much traffic the node has. */
const nextRequestId = () => randomUUID();
