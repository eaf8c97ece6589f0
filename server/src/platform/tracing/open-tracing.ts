import { callerOf, rootSpanIdOf, type TracedWork, type Tracing, traceIdOf } from './tracing.ts';

export interface TracingOptions {
  /** Where spans are posted in OTLP over HTTP: `app.tracing.endpoint`. */
  endpoint: string;
  /** The percentage of payments that are traced: `app.tracing.sample-percent`. */
  samplePercent: number;
  version: string;
  /** Called when spans could not be sent, at most once a minute. */
  onFailure: (message: string) => void;
}

export interface OpenTracing extends Tracing {
  /** Sends what is waiting, for at most a few seconds. */
  stop: () => Promise<void>;
}

/** Spans wait this long before they are sent together. */
const sendEveryMs = 1_000;
const sendTimeoutMs = 3_000;
const reportEveryMs = 60_000;
/** Further spans are dropped while the collector is unavailable. */
const maximumWaiting = 10_000;

/** The packages that send spans. They are 20 MB, so that installations without tracing need not have them. */
const packages = [
  '@opentelemetry/api',
  '@opentelemetry/sdk-trace',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
];

export class TracingNotInstalled extends Error {}

/** Loads the SDK of OpenTelemetry, which nothing else loads. Throws `TracingNotInstalled` when it is not installed. */
export async function openTracing(options: TracingOptions): Promise<OpenTracing> {
  const { endpoint, samplePercent, version } = options;
  const { api, sdk, exporter, resources } = await load();
  const report = atMostEvery(reportEveryMs, options.onFailure);
  const silent = () => {};
  api.diag.setLogger(
    { error: report, warn: report, info: silent, debug: silent, verbose: silent },
    {
      logLevel: api.DiagLogLevel.WARN,
      suppressOverrideMessage: true,
    },
  );
  const ids = { traceId: '', spanId: '' };
  const random = new sdk.RandomIdGenerator();
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': 'florin', 'service.version': version }),
    sampler: new sdk.TraceIdRatioBasedSampler(samplePercent / 100),
    // Spans are started and ended synchronously, so that `ids` are those of the span that is being started.
    idGenerator: {
      generateTraceId: () => ids.traceId,
      generateSpanId: () => (ids.spanId === '' ? random.generateSpanId() : ids.spanId),
    },
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: new exporter.OTLPTraceExporter({ url: endpoint, timeoutMillis: sendTimeoutMs }),
        maxQueueSize: maximumWaiting,
        scheduledDelayMillis: sendEveryMs,
        exportTimeoutMillis: sendTimeoutMs,
      }),
    ],
  });
  const tracer = provider.getTracer('florin', version);
  const kinds = { server: api.SpanKind.SERVER, internal: api.SpanKind.INTERNAL, client: api.SpanKind.CLIENT };

  const record = (work: TracedWork): void => {
    const traceId = traceIdOf(work.transactionId);
    const spanId = rootSpanIdOf(traceId);
    const parent = { traceId, spanId, traceFlags: api.TraceFlags.SAMPLED, isRemote: true };
    const context = work.isRoot ? api.ROOT_CONTEXT : api.trace.setSpanContext(api.ROOT_CONTEXT, parent);
    const caller = callerOf(work.traceparent);
    Object.assign(ids, { traceId, spanId: work.isRoot ? spanId : '' });
    const span = tracer.startSpan(
      work.name,
      {
        kind: kinds[work.kind],
        startTime: work.endMs - work.durationMs,
        attributes: work.attributes,
        ...(caller && {
          links: [
            { context: { traceId: caller.traceId, spanId: caller.spanId, traceFlags: caller.flags, isRemote: true } },
          ],
        }),
      },
      context,
    );
    if (work.failure !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR, message: work.failure });
    span.end(work.endMs);
  };
  return { record, stop: () => provider.shutdown() };
}

function atMostEvery(intervalMs: number, report: (message: string) => void): (message: string) => void {
  let reportedMs = Number.NEGATIVE_INFINITY;
  return (message) => {
    if (performance.now() - reportedMs < intervalMs) return;
    reportedMs = performance.now();
    report(message);
  };
}

async function load() {
  try {
    const [api, sdk, exporter, resources] = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
    return { api, sdk, exporter, resources };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new TracingNotInstalled(
      'app.tracing.endpoint is set, but the SDK of OpenTelemetry is not installed: ' +
        `npm install --no-save ${packages.join(' ')}`,
      { cause },
    );
  }
}
