import { randomBytes } from 'node:crypto';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, type RouteOptions } from 'fastify';
import { invalid, Refusal } from '../../core/errors.ts';
import { holds, type Principal } from '../../core/principal.ts';
import { drainBeforeClose } from './drain.ts';
import { maximumBodyBytes, parseJsonBody, refuseEncoded, refuseUnstorableText } from './json-body.ts';
import { KnownMethods } from './known-methods.ts';
import { withRawBodies } from './raw-body.ts';
import { refusalBody, statusOf, toRefusal } from './refusal-reply.ts';
import type { Answer, Call, Need, Route, RouteDocument } from './route.ts';
import { routeSchema } from './route-schema.ts';
import { compileSchema } from './validation.ts';

export interface HttpServerOptions {
  /** Identifies the caller by the Authorization header and the address; throws a refusal. */
  authenticate: (authorization: string | undefined, address: string) => Promise<Principal>;
  /** Called for every reply, for metrics and the log. */
  onReply: (reply: ReplyFacts) => void;
  /** Called for every refusal, with the caller if authenticated. Must not throw. */
  onRefusal?: ((refusal: Refusal, request: RefusedCall) => void) | undefined;
  /** Called for every unexpected error. */
  onDefect: (error: unknown, requestId: string) => void;
  /** From which proxies X-Forwarded-For is trusted: Fastify's `trustProxy`. */
  trustProxy?: string[] | undefined;
  /** Provides a server with `socketOptions`; without it one is created. */
  serverFactory?: ((handler: RequestListener) => Server) | undefined;
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
}

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | undefined;
    refusal: Refusal | undefined;
    /** The declared path. Fastify would build the whole description of the route to return it. */
    declaredPath: string;
  }
}

export const jsonType = 'application/json; charset=utf-8';

export const socketOptions = {
  requestTimeout: 20_000,
  keepAliveTimeout: 72_000, // Longer than the idle timeout of common load balancers, which would otherwise reuse a closing socket.
  requireHostHeader: false, // Node would answer without the envelope; it is refused below.
};

/** An HTTP server that answers in the envelope and authenticates its callers. Add routes before it listens. */
export function httpServer(options: HttpServerOptions): FastifyInstance {
  const app = Fastify({
    logger: false,
    bodyLimit: maximumBodyBytes,
    requestTimeout: socketOptions.requestTimeout,
    http: { requireHostHeader: socketOptions.requireHostHeader },
    keepAliveTimeout: socketOptions.keepAliveTimeout,
    ...(options.serverFactory && { serverFactory: options.serverFactory }),
    genReqId: requestIdOf,
    routerOptions: { ignoreTrailingSlash: true },
    exposeHeadRoutes: true,
    return503OnClosing: false, // Requests on open connections are still served while the server drains.
    forceCloseConnections: 'idle',
    trustProxy: options.trustProxy ?? false,
    frameworkErrors: (error, request, reply) => refuse(toRefusal(error), request, reply, options),
    clientErrorHandler: answerBrokenHttp,
  });
  app.setValidatorCompiler(compileSchema as never);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      refuseEncoded(request.headers['content-encoding']);
      done(null, parseJsonBody(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  app.decorateRequest('principal', undefined);
  app.decorateRequest('refusal', undefined);
  app.decorateRequest('declaredPath', 'other');
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done(unmetOf(request));
  });
  // Node would answer 417 by itself, without the envelope.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  drainBeforeClose(app);
  const methods = new KnownMethods();
  app.addHook('onRoute', ({ method, url }) => methods.add(url, [method].flat()));
  app.addHook('onResponse', (request, reply, done) => {
    options.onReply({
      method: request.method,
      path: request.declaredPath,
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
      requestId: request.id,
      refusal: request.refusal,
    });
    done();
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] as string;
    const allowed = methods.of(path);
    // A wildcard route may accept the method and still find nothing.
    if (allowed.length === 0 || allowed.includes(request.method)) {
      refuse(new Refusal('path_unknown', `There is no ${request.method} ${path}.`), request, reply, options);
      return;
    }
    const message = `${path} does not take ${request.method}, only ${allowed.join(', ')}.`;
    reply.header('allow', allowed.join(', '));
    refuse(new Refusal('method_not_allowed', message, { details: { allowed } }), request, reply, options);
  });
  app.setErrorHandler((error, request, reply) =>
    refuse(toRefusal(error, request.routeOptions.bodyLimit), request, reply, options),
  );
  return app;
}

/** Refuses requests without Host or with an unknown Expect, before anything else. HTTP/1.0 has neither header. */
function unmetOf({ headers: { host, expect }, raw: { httpVersion } }: FastifyRequest): Refusal | undefined {
  if (httpVersion === '1.0') return undefined;
  if (host === undefined) return invalid('Host', 'A Host header is required.');
  if (expect === undefined || expect.toLowerCase() === '100-continue') return undefined;
  return new Refusal('expectation_not_supported', 'The only expectation that can be met is 100-continue.');
}

/** Adds a route. The caller is authenticated and authorized before the body is read. */
export function addRoute(
  app: FastifyInstance,
  route: Route,
  { authenticate }: Pick<HttpServerOptions, 'authenticate'>,
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
      authenticate(request.headers.authorization, request.ip)
        .then((principal) => admit(request, principal, needs, done))
        .catch(done);
    },
    handler: async (request, reply) => {
      if (endpoint.query !== undefined) refuseUnstorableQuery(request.query as Record<string, unknown>);
      const answer = await endpoint.handle(callOf(request));
      return answer.document === undefined ? send(reply, answer) : sendDocument(request, reply, answer);
    },
  };
  if (endpoint.rawBody === undefined) app.route(options);
  else withRawBodies(app, (part) => part.route(options));
}

function admit(
  request: FastifyRequest,
  principal: Principal,
  needs: Exclude<Need, 'nothing' | 'token'>,
  done: () => void,
): void {
  request.principal = { ...principal, requestId: request.id, address: request.ip };
  demand(needs, principal);
  done();
}

function demand(need: Exclude<Need, 'nothing' | 'token'>, principal: Principal): void {
  const needs = typeof need === 'string' ? need : need.needs;
  if (needs === 'session' && principal.by !== 'session') {
    throw new Refusal('credentials_invalid', 'This needs a Bearer access token; a developer key will not do.');
  }
  if (needs === 'key' && principal.by !== 'key') {
    throw new Refusal('credentials_invalid', 'This needs a developer key; a Bearer access token will not do.');
  }
  if (typeof need !== 'string' && !need.userTypes.includes(principal.userType)) {
    throw new Refusal('role_missing', `This needs the user type ${need.userTypes.join(' or ')}.`);
  }
  if (needs !== 'session' && needs !== 'key' && needs !== 'caller' && !holds(principal, needs)) {
    throw new Refusal('scope_missing', `This needs the scope ${needs}.`, { details: { scope: needs } });
  }
}

function refuseUnstorableQuery(query: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(query)) {
    if (typeof value === 'string') refuseUnstorableText(value, name);
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

function send(reply: FastifyReply, { data, json, message, pagination, headers }: Answer<unknown>): FastifyReply {
  if (headers !== undefined) reply.headers(headers);
  reply.header('content-type', jsonType);
  reply.header('cache-control', 'no-store');
  if (json === undefined) return reply.send({ code: 200, message, data, pagination });
  return reply.send(
    `{"code":200,${message === undefined ? '' : `"message":${JSON.stringify(message)},`}"data":${json}}`,
  );
}

/** A document with an entity tag may be kept by its reader, who asks each time whether it is still current. */
async function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  { document, headers = {} }: Answer<unknown>,
): Promise<FastifyReply> {
  const { type, content, tag } = { tag: undefined, ...(document as RouteDocument) };
  if (typeof content !== 'function') {
    return reply.headers({ ...headers, 'content-type': type, 'cache-control': 'no-store' }).send(content);
  }
  const validators = { etag: tag, 'cache-control': 'private, no-cache' };
  if (isCurrent(request.headers['if-none-match'], tag)) return reply.headers(validators).code(304).send();
  const made = await content();
  return reply.headers({ ...headers, ...validators, 'content-type': type }).send(made);
}

/** Whether the reader has the document already (RFC 9110, 13.1.2: weak comparison). */
function isCurrent(ifNoneMatch: string | undefined, tag: string | undefined): boolean {
  const known = ifNoneMatch?.split(',').map((one) => one.trim().replace(/^W\//, '')) ?? [];
  return known.includes('*') || (tag !== undefined && known.includes(tag));
}

function refuse(
  refusal: Refusal,
  request: FastifyRequest,
  reply: FastifyReply,
  { onDefect, onRefusal }: Pick<HttpServerOptions, 'onDefect' | 'onRefusal'>,
): void {
  request.refusal = refusal;
  if (refusal.kind === 'defect') onDefect(refusal.cause ?? refusal, request.id);
  onRefusal?.(refusal, {
    principal: request.principal,
    requestId: request.id,
    address: request.ip,
    method: request.method,
    path: request.declaredPath,
  });
  if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', Math.ceil(refusal.retryAfterSeconds));
  if (refusal.type === 'encoding_not_supported') reply.header('accept-encoding', 'identity');
  if (refusal.kind === 'unauthenticated') reply.header('www-authenticate', 'Bearer, ApiKey');
  reply.header('x-request-id', request.id);
  reply.header('content-type', jsonType);
  reply.header('cache-control', 'no-store');
  reply.code(statusOf(refusal)).send(refusalBody(refusal, request.id));
}

/** A caller may send its own request id, if it is short and plain; it is on the reply and in the log. */
export function requestIdOf(request: IncomingMessage | { headers: IncomingMessage['headers'] }): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : nextRequestId();
}

const processTag = randomBytes(5).toString('hex');
let requests = 0;
const nextRequestId = () => `${processTag}-${(++requests).toString(36)}`;

/** Answers invalid HTTP, and headers that are too slow or too large, in the envelope, and closes the connection. */
function answerBrokenHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, reason] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'Request Header Fields Too Large']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'Request Timeout']
        : [400, 'Bad Request'];
  const requestId = nextRequestId();
  const body = JSON.stringify({
    code: status,
    message: `The request cannot be read: ${reason}.`,
    data: null,
    error: { type: 'invalid_request', requestId },
  });
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nContent-Type: ${jsonType}\r\nX-Request-Id: ${requestId}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
