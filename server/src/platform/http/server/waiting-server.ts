import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Refusal } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { refusalBody, statusOf } from '../refusal-reply.ts';
import { withoutBasePath } from './base-path.ts';
import { jsonType } from './broken-http.ts';
import { securityHeaders } from './security-headers.ts';
import { requestIdOf, socketOptions } from './server.ts';

/**
 * Serves the port while the start waits: live, not ready, and 503 for everything else. The application then takes over
 * the same socket, so that the port stays open.
 */
export class WaitingServer {
  readonly #server: Server;
  readonly #basePath: string;
  readonly #answer: RequestListener = (request, response) => this.#reply(request, response);
  /** For operators, in `/health/ready`. Other requests only get Retry-After. */
  reason = '';

  /** `basePath`: the path of the public address, with which requests may begin. */
  constructor(basePath: string) {
    this.#basePath = basePath;
    this.#server = createServer(socketOptions, this.#answer);
    this.#server.on('checkContinue', this.#answer);
  }

  /** Listens, and returns the port. */
  async listen(address: { host: string; port: number; reusePort: boolean }): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(address, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    return (this.#server.address() as AddressInfo).port;
  }

  /** Fastify's `serverFactory`: the application answers from the moment it would listen. */
  handOver(handler: RequestListener): Server {
    const server = this.#server;
    server.listen = (() => {
      server.off('request', this.#answer).off('checkContinue', this.#answer);
      server.on('request', handler);
      process.nextTick(() => server.emit('listening'));
      return server;
    }) as never;
    return server;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  #reply(request: IncomingMessage, response: ServerResponse): void {
    const path = withoutBasePath(request.url ?? '', this.#basePath).split('?')[0];
    const requestId = requestIdOf(request);
    const headers = { ...securityHeaders(''), 'content-type': jsonType, 'x-request-id': requestId };
    if (request.method === 'GET' && path === '/health/live') {
      response.writeHead(200, headers).end(JSON.stringify({ code: 200, data: { status: 'live' } }));
      return;
    }
    const message =
      request.method === 'GET' && path === '/health/ready'
        ? rule('not_ready', { reason: this.reason })
        : rule('database_away');
    const refusal = new Refusal('database_unavailable', message, { retryAfterSeconds: 1 });
    response.writeHead(statusOf(refusal), { ...headers, 'retry-after': '1' }).end(refusalBody(refusal, requestId));
  }
}
