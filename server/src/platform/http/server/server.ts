import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import Fastify, { type FastifyInstance } from 'fastify';
import { maximumBodyBytes } from '../json-body.ts';
import { callerAddress } from '../limits/caller-address.ts';
import { limitConnections } from '../limits/connection-limit.ts';
import { addressMatcher } from '../limits/network-of.ts';
import { toRefusal } from '../refusal-reply.ts';
import { withoutBasePath } from './base-path.ts';
import { brokenHttpRefusal, refuseConnection } from './broken-http.ts';
import { continueWhenRead } from './continue.ts';
import { ObservedResponse } from './observed-response.ts';
import { parseQuery } from './query-string.ts';
import { refuse } from './refuse.ts';
import { securityHeaders } from './security-headers.ts';
import { closeSilentConnections } from './silent-connections.ts';
import { cutOffSlowBodies } from './slow-bodies.ts';
import { addSteps, type Edge } from './steps.ts';

export interface HttpServerOptions extends Edge {
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
  /** Shorter than `socketOptions` in tests. */
  timeouts?: Partial<typeof socketTimeouts> | undefined;
  /** Provides a server with `socketOptions`; without it one is created. */
  serverFactory?: ((handler: RequestListener) => Server) | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller's, in its usual notation. Fastify's `ip` is that of the connection. */
    readonly address: string;
  }
}

const socketTimeouts = {
  headersTimeout: 10_000,
  /** For the body, which Node does not limit: `cutOffSlowBodies`. */
  bodyTimeout: 20_000,
  /** Both are checked only this often; at Node's default of 30 s a request of 20 s could take 50. */
  connectionsCheckingInterval: 1_000,
};

export const socketOptions = {
  ...socketTimeouts,
  requestTimeout: 0,
  keepAliveTimeout: 0, // `closeSilentConnections` closes idle connections.
  requireHostHeader: false, // Node would answer without the envelope; it is refused below.
  ServerResponse: ObservedResponse,
};

/** An HTTP server that answers in the envelope and authenticates its callers. Add routes before it listens. */
export function httpServer(options: HttpServerOptions): FastifyInstance {
  const everyAnswer = securityHeaders(options.publicUrl ?? '');
  const timeouts = { ...socketTimeouts, ...options.timeouts };
  const { basePath = '' } = options;
  const isProxy = addressMatcher(options.trustProxy ?? []);
  const app = Fastify({
    logger: false,
    bodyLimit: maximumBodyBytes,
    requestTimeout: socketOptions.requestTimeout,
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
  app.decorateRequest('address', {
    getter() {
      const { headers, socket } = this.raw;
      // Node joins repeated ones.
      const forwardedFor = headers['x-forwarded-for'] as string | undefined;
      return callerAddress({ remoteAddress: socket.remoteAddress, forwardedFor }, isProxy);
    },
  });
  addSteps(app, options, everyAnswer);
  app.server.keepAliveTimeout = socketOptions.keepAliveTimeout; // As an option Fastify would take 0 for its default.
  closeSilentConnections(app.server);
  const { bodyTimeout: timeoutMs, connectionsCheckingInterval: checkEveryMs } = timeouts;
  cutOffSlowBodies(app.server, { timeoutMs, checkEveryMs });
  continueWhenRead(app.server);
  // Node would answer 417 by itself, without the envelope.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
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

/** A caller may send its own request id, if it is short and plain; it is on the reply and in the log. */
export function requestIdOf(request: IncomingMessage | { headers: IncomingMessage['headers'] }): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : nextRequestId();
}

/** Random: a number that counts up would show every caller how much traffic the node has. */
const nextRequestId = () => randomUUID();
