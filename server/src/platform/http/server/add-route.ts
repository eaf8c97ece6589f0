import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { invalid } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { nameMode } from '../mode.ts';
import { withBodyStreams, withRawBodies } from '../raw-body.ts';
import type { Answer, Call, Endpoint, Route } from '../route.ts';
import { routeSchema } from '../route-schema.ts';
import { send, sendDocument } from './answer.ts';

/** What the handler of one call gets, and headers of its answer, which are read when the handler is done. */
export interface Serving<App> {
  app: App;
  headers: () => Record<string, string>;
}

/**
 * Adds a route, whose handler gets `app` (`steps.ts` has what happens before), or what `serve` returns for its call.
 */
export function addRoute<App>(
  server: FastifyInstance,
  route: Route<App>,
  app: App,
  serve?: (call: Pick<Call, 'principal' | 'headers'>) => Serving<App> | undefined,
): void {
  const { method, path, endpoint } = route;
  const options: RouteOptions = {
    method,
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    schema: routeSchema(route),
    config: { declared: route },
    ...(endpoint.rawBody && { bodyLimit: endpoint.rawBody.maximumBytes }),
    // Not an async function: Fastify would watch the response to its end for each.
    handler: (request, reply) => {
      // It may take minutes to arrive.
      if (endpoint.streamsBody) request.leaveTurn?.();
      const call = callOf(request, endpoint);
      const serving = serve?.(call);
      endpoint.handle(call, serving?.app ?? app).then(
        (answer) => {
          if (serving !== undefined) reply.headers(serving.headers());
          respond(endpoint, answer, request, reply);
        },
        (error) => {
          // The rest of a refused body is not read.
          if (endpoint.streamsBody && !request.raw.complete) reply.header('connection', 'close');
          fail(reply, error);
        },
      );
    },
  };
  if (endpoint.streamsBody) withBodyStreams(server, (part) => part.route(options));
  else if (endpoint.rawBody) withRawBodies(server, (part) => part.route(options));
  else server.route(options);
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

function callOf(request: FastifyRequest, { once }: Endpoint): Call<never, never> {
  return {
    body: request.body as never,
    rawBody: request.body as Buffer,
    bodyStream: request.body as Readable,
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
  throw invalid('Idempotency-Key', rule('key_length', { least: 1, limit: 255 }));
}
