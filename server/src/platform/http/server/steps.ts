import type { IncomingHttpHeaders } from 'node:http';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  preHandlerHookHandler,
} from 'fastify';
import { invalid, Refusal } from '../../../core/errors.ts';
import { modeHeader } from '../../../core/livemode.ts';
import type { Principal } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { parseJsonBody, refuseEncoded, refuseUnstorableText } from '../json-body.ts';
import { AddressTurns } from '../limits/address-turns.ts';
import { ConcurrencyLimit } from '../limits/concurrency-limit.ts';
import { networkOf } from '../limits/network-of.ts';
import { requireModeOf } from '../mode.ts';
import { requirePermission } from '../permission.ts';
import { statusOf, toRefusal } from '../refusal-reply.ts';
import type { CallerNeed, Route, UserTypeNeed } from '../route.ts';
import { compileSerializer } from '../serialization.ts';
import { compileSchema } from '../validation.ts';
import { corsFor } from './cors.ts';
import { Drain } from './drain.ts';
import { KnownMethods } from './known-methods.ts';
import type { ObservedResponse } from './observed-response.ts';
import { type RefusalObservers, refuse } from './refuse.ts';
import { requireSingleHeaders } from './single-headers.ts';

/** What the steps need of the service. */
export interface Edge extends RefusalObservers {
  authenticate: Authenticate;
  /** Resolves when a write of the tenant that makes so many events may begin. Without it all may begin at once. */
  admit?: ((tenantId: number, events: number) => Promise<void>) | undefined;
  /** Without it requests are not counted. */
  rateLimits?: RateLimits | undefined;
  /** Origins of browser applications that may call the service. Default: only its own origin. */
  corsOrigins?: readonly string[] | undefined;
  /** The page for a browser at an address that does not exist; undefined: the refusal is sent. */
  unknownPage?: ((request: FastifyRequest) => UnknownPage | undefined) | undefined;
  /** Called for every reply, for metrics and the log, also if its client has left. Must not throw. */
  onReply: (reply: ReplyFacts) => void;
}

/**
 * Identifies the caller by the headers of the request and its address, or throws a refusal. `isCheck`: an open stream
 * is checked again, which does not count as a use of the session or key.
 */
export interface Authenticate {
  (request: AuthenticatedRequest, address: string, options?: { isCheck?: boolean }): Promise<Principal>;
  /** The caller, if cached in memory. Throws the same refusals. */
  cached?: (request: AuthenticatedRequest, address: string) => Principal | undefined;
}

export interface AuthenticatedRequest {
  method: string;
  headers: IncomingHttpHeaders;
  /** The connection. */
  socket?: object;
}

/** Each counts the request and throws the refusal `too_many_requests`. */
export interface RateLimits {
  /** By what is known before authentication, which may need the database. */
  ofAddress: (request: FastifyRequest, reply: FastifyReply) => void;
  /** By what authentication has told. */
  ofCaller: (request: FastifyRequest, reply: FastifyReply) => void;
}

export interface UnknownPage {
  headers: Record<string, string>;
  content: string | Buffer;
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
  /** The caller's address. */
  address: string;
  /** The headers of the request. */
  headers: IncomingHttpHeaders;
  /** The mode that the answer named (`mode.ts`). */
  mode: string | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | undefined;
    refusal: Refusal | undefined;
    /** Ends the request's turn (`ConcurrencyLimit`, `AddressTurns`). */
    leaveTurn: (() => void) | undefined;
    /** `performance.now()` when its headers had been received. */
    receivedAtMs: number;
    /** The time until the answer of an endless stream began; the time until it ends says nothing about the service. */
    answeredAfterMs: number | undefined;
    /** The declared path. Fastify would build the whole description of the route to return it. */
    declaredPath: string;
  }
  interface FastifyContextConfig {
    /** Of a route that `addRoute` added. */
    declared?: Route;
  }
}

/**
 * Every request takes these steps, in this order. A step refuses by throwing: the refusal is then the answer. Before
 * them `server.ts` has limited connections, read the head of the request, and given it an id.
 */
export function addSteps(server: FastifyInstance, edge: Edge, everyAnswer: Readonly<Record<string, string>>): void {
  const drain = new Drain(server);
  const answersPreflight = edge.corsOrigins && corsFor(edge.corsOrigins);
  const refuseUnknownPath = unknownPathRefusal(server, edge);
  const turns = {
    /** Two in a turn of the event loop: a search of the documentation takes up to 4 ms of it. */
    open: new AddressTurns({ perNetwork: 16, inAll: 64, perTurn: 2 }),
    unknownCallers: new AddressTurns({ perNetwork: 32, inAll: 128, perTurn: 16 }),
    tenants: new ConcurrencyLimit(),
  };
  decorateRequests(server);

  // 1. Every request, whatever it asks for.
  server.addHook('onRequest', (request, reply, done) => {
    request.receivedAtMs = performance.now();
    drain.began(reply);
    (reply.raw as ObservedResponse).observe(reply, end);
    reply.headers(everyAnswer);
    reply.header('x-request-id', request.id);
    requireSingleHeaders(request.raw);
    requireHost(request);
    requireKnownExpectation(request);
    if (answersPreflight?.(request, reply)) return;
    if (!isHealthCheck(request.url) || request.is404) edge.rateLimits?.ofAddress(request, reply);
    done();
  });

  // 2. By route: who calls, may they, and is it their turn? Nothing of the body has been read.
  server.addHook('onRoute', (route) => {
    const declared = route.config?.declared;
    if (declared !== undefined) route.preHandler = checkInput(declared);
    route.onRequest = [
      ...(declared === undefined ? [] : [nameRoute(declared)]),
      ...(isHealthCheck(route.url) ? [] : [isOpen(declared) ? takeOpenTurn : admitCaller(declared)]),
      ...[route.onRequest ?? []].flat(),
    ];
  });

  /** Callers without credentials, of pages, documentation, metrics, logins and callbacks, take turns by address. */
  async function takeOpenTurn(request: FastifyRequest): Promise<void> {
    request.leaveTurn = await turnOf(networkOf(request.address), turns.open);
  }

  function admitCaller({ needs, endpoint: { events } }: CallersRoute) {
    return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const caller =
        edge.authenticate.cached?.(headOf(request), request.address) ?? (await authenticate(request, needs));
      if (caller === undefined) return takeOpenTurn(request);
      request.principal = { ...caller, requestId: request.id, address: request.address };
      requirePermission(needs, caller);
      edge.rateLimits?.ofCaller(request, reply);
      if (events !== undefined) await edge.admit?.(caller.tenantId, events);
      request.leaveTurn = await turnOf(caller.tenantId, turns.tenants);
    };
  }

  /**
   * Credentials that are not known in memory cost a query, also those that are made up: addresses take turns. Undefined
   * for a visitor without credentials.
   */
  async function authenticate(request: FastifyRequest, needs: CallersRoute['needs']): Promise<Principal | undefined> {
    const leave = await turnOf(networkOf(request.address), turns.unknownCallers);
    try {
      return await edge.authenticate(headOf(request), request.address);
    } catch (error) {
      if (needs === 'visitor' && error instanceof Refusal && error.type === 'credentials_missing') return undefined;
      throw error;
    } finally {
      leave();
    }
  }

  // 3. Before the body is read, or demanded by the method QUERY.
  server.addHook('preParsing', (request, reply, body, done) => {
    if (request.is404) refuseUnknownPath(request, reply);
    else done(null, body);
  });

  // 4. The body, up to the limit of its route.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      refuseEncoded(request.headers['content-encoding']);
      done(null, parseJsonBody(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });

  // 5. The input against the schemas of its route. What no schema states is checked by `checkInput`.
  server.setValidatorCompiler(compileSchema as never);

  // 6. The handler of the route, and its answer: `addRoute`. Step-up and idempotency are part of its transaction.
  server.setSerializerCompiler(compileSerializer as never);

  // Or the refusal, of whichever step.
  server.setErrorHandler((error, request, reply) =>
    refuse(toRefusal(error, request.routeOptions.bodyLimit), request, reply, edge),
  );
  server.setNotFoundHandler(refuseUnknownPath);

  // 7. The answer has been sent, or its client has left.
  function end(reply: FastifyReply): void {
    const nowMs = performance.now();
    drain.ended(reply, nowMs);
    edge.onReply(factsOf(reply, nowMs));
  }
}

/** HTTP/1.0 has neither this header nor `Expect`. */
function requireHost({ headers: { host }, raw: { httpVersion } }: FastifyRequest): void {
  if (host === undefined && httpVersion !== '1.0') throw invalid('Host', rule('host_header'));
}

function requireKnownExpectation({ headers: { expect }, raw: { httpVersion } }: FastifyRequest): void {
  if (httpVersion === '1.0' || expect === undefined || expect.toLowerCase() === '100-continue') return;
  throw new Refusal('expectation_not_supported', 'The only expectation that can be met is 100-continue.');
}

/** Load balancers ask often, from one address, and must not wait: no limit counts these requests. */
function isHealthCheck(path: string): boolean {
  return path.startsWith('/health/');
}

function nameRoute({ path }: Route): onRequestHookHandler {
  return (request, _reply, done) => {
    request.declaredPath = path;
    done();
  };
}

type CallersRoute = Route & { needs: CallerNeed | UserTypeNeed };

/** Whether the route needs no credentials, or checks them itself. */
const isOpen = (route: Route | undefined): route is Exclude<Route | undefined, CallersRoute> =>
  route === undefined || route.needs === 'nothing' || route.needs === 'token';

/** The head of a request. Node types `method` as optional because messages that are responses have none. */
const headOf = ({ raw }: FastifyRequest) => raw as AuthenticatedRequest;

interface Turns<Key> {
  enter(key: Key, proceed: (leave: () => void) => void): void;
}

/** Resolves when it is the turn of a request under this key, with what ends the turn. */
function turnOf<Key>(key: Key, turns: Turns<Key>): Promise<() => void> {
  return new Promise((resolve) => turns.enter(key, resolve));
}

function checkInput({ endpoint }: Route): preHandlerHookHandler {
  return (request, _reply, done) => {
    if (endpoint.query !== undefined) requireStorableQuery(request.query as Record<string, unknown>);
    requireModeOf(request);
    done();
  };
}

function requireStorableQuery(query: Record<string, unknown>, outer = ''): void {
  for (const [inner, value] of Object.entries(query)) {
    const name = outer === '' ? inner : `${outer}.${inner}`;
    refuseUnstorableText(inner, outer === '' ? 'query' : outer);
    if (typeof value === 'string') refuseUnstorableText(value, name);
    else if (typeof value === 'object' && value !== null) {
      requireStorableQuery(value as Record<string, unknown>, name);
    }
  }
}

/** Refuses a request of a path that does not exist, or that does not take its method. */
function unknownPathRefusal(server: FastifyInstance, edge: Edge) {
  const methods = new KnownMethods();
  server.addHook('onRoute', ({ method, url }) => methods.add(url, [method].flat()));
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const path = request.originalUrl.split('?')[0] as string;
    const allowed = methods.of(request.url.split('?')[0] as string);
    // A wildcard route may accept the method and still find nothing.
    if (allowed.length === 0 || allowed.includes(request.method)) {
      const refusal = new Refusal('path_unknown', rule('no_such_path', { method: request.method, path }));
      const page = request.method === 'GET' ? edge.unknownPage?.(request) : undefined;
      if (page === undefined) {
        refuse(refusal, request, reply, edge);
      } else {
        request.refusal = refusal; // For the log.
        reply.code(statusOf(refusal)).headers(page.headers).send(page.content);
      }
    } else {
      const broken = rule('methods_of_path', { path, method: request.method, allowed });
      reply.header('allow', allowed.join(', '));
      refuse(new Refusal('method_not_allowed', broken), request, reply, edge);
    }
  };
}

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
    address: request.address,
    headers: request.raw.headers,
    mode: reply.getHeader(modeHeader) as string | undefined,
  };
}

/** Fields that steps set, declared once: a request that gains fields later is slower to read. */
function decorateRequests(server: FastifyInstance): void {
  server.decorateRequest('principal', undefined);
  server.decorateRequest('refusal', undefined);
  server.decorateRequest('leaveTurn', undefined);
  server.decorateRequest('receivedAtMs', 0);
  server.decorateRequest('answeredAfterMs', undefined);
  server.decorateRequest('declaredPath', 'other');
}
