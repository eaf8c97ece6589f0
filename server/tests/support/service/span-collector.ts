import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A span as it is sent in OTLP over HTTP. */
export interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  links?: { traceId: string; spanId: string }[];
  status: { code?: number };
}

export interface SpanCollector {
  /** For `app.tracing.endpoint`. */
  endpoint: string;
  /** All that have arrived. */
  spans: Span[];
  close: () => Promise<void>;
}

/** Receives traces as a collector does. */
export async function startSpanCollector(): Promise<SpanCollector> {
  const spans: Span[] = [];
  const server = createServer((request, response) => {
    spansOf(request).then(
      (received) => {
        spans.push(...received);
        response.setHeader('content-type', 'application/json').end('{}');
      },
      () => response.writeHead(400).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    spans,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

async function spansOf(request: IncomingMessage): Promise<Span[]> {
  const { resourceSpans } = (await json(request)) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans).flatMap((scope) => scope.spans);
}
