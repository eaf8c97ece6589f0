import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';
import type { ReplyFacts } from '../platform/http/server.ts';

/** Seconds; a payment usually takes one to ten milliseconds. */
const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const batchSizes = [1, 2, 5, 10, 25, 50, 100, 200, 350, 500];

const unknownBacklog = { open: Number.NaN, aside: Number.NaN, lagSeconds: Number.NaN };

/** What is read at the moment somebody asks for the metrics. */
export interface Levels {
  queuedCreates: () => number;
  deliveriesInFlight: () => number;
  /** Open deliveries, those of them set aside, and how late the one longest due of the others is, in seconds. */
  deliveryBacklog: () => Promise<{ open: number; aside: number; lagSeconds: number }>;
  pools: () => Record<string, { total: number; idle: number; waiting: number }>;
}

/** Everything Florin tells Prometheus. docs/operations.md explains what to watch. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = this.#histogram('florin_http_request_seconds', 'Time to answer a request.', requestBuckets, [
    'method',
    'path',
    'status',
  ]);
  readonly #batchSize = this.#histogram('florin_create_batch_size', 'Payments written by one statement.', batchSizes);
  readonly #batchSeconds = this.#histogram('florin_create_batch_seconds', 'Time to write one batch.', requestBuckets);
  readonly #attempts = new Counter({
    name: 'florin_delivery_attempts_total',
    help: 'Webhook delivery attempts by outcome.',
    labelNames: ['outcome'],
    registers: [this.#registry],
  });
  readonly #attemptSeconds = this.#histogram(
    'florin_delivery_attempt_seconds',
    'Time one attempt took.',
    requestBuckets,
  );
  readonly #attemptLag = this.#histogram(
    'florin_delivery_lag_seconds',
    'From being due to being sent.',
    requestBuckets,
  );
  readonly #callbacks = new Counter({
    name: 'florin_callbacks_total',
    help: 'Callbacks of providers: received, repeated, or refused for their signature.',
    labelNames: ['result'],
    registers: [this.#registry],
  });
  readonly #callbackEnds = new Counter({
    name: 'florin_callbacks_settled_total',
    help: 'What became of callbacks received: settled, or ignored because they name nothing of ours.',
    labelNames: ['result'],
    registers: [this.#registry],
  });
  readonly #disputes = new Counter({
    name: 'florin_provider_disputes_total',
    help: 'What providers said that cannot be true beside what stands (contradiction), or of another amount (mismatch).',
    labelNames: ['kind'],
    registers: [this.#registry],
  });
  readonly #disputeVerdicts = new Counter({
    name: 'florin_provider_dispute_lookups_total',
    help: 'What look-ups of such operations came to: the provider agrees with what stands, or disagrees.',
    labelNames: ['result'],
    registers: [this.#registry],
  });
  readonly #pauses = new Counter({
    name: 'florin_endpoint_pauses_total',
    help: 'Pauses of webhook endpoints after failures in a row, and after each trial that failed.',
    registers: [this.#registry],
  });
  // Kept, since each look by labels hashes them anew.
  readonly #requestOf = new Map<string, { observe: (seconds: number) => void }>();
  readonly #attemptsOf = new Map<string, { inc: () => void }>();

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
  }

  onReply = ({ method, path, status, durationMs }: ReplyFacts): void => {
    const key = `${method} ${path} ${status}`;
    let series = this.#requestOf.get(key);
    if (series === undefined) {
      series = this.#requests.labels(method, path, String(status));
      this.#requestOf.set(key, series);
    }
    series.observe(durationMs / 1000);
  };

  onBatch = (size: number, durationMs: number): void => {
    this.#batchSize.observe(size);
    this.#batchSeconds.observe(durationMs / 1000);
  };

  onAttempt = ({ outcome, durationMs, lagMs }: { outcome: string; durationMs: number; lagMs: number }): void => {
    let attempts = this.#attemptsOf.get(outcome);
    if (attempts === undefined) {
      attempts = this.#attempts.labels(outcome);
      this.#attemptsOf.set(outcome, attempts);
    }
    attempts.inc();
    this.#attemptSeconds.observe(durationMs / 1000);
    this.#attemptLag.observe(Math.max(0, lagMs) / 1000);
  };

  onCallback = (result: 'received' | 'repeated' | 'refused'): void => {
    this.#callbacks.labels(result).inc();
  };

  onCallbackEnd = (result: 'settled' | 'ignored'): void => {
    this.#callbackEnds.labels(result).inc();
  };

  onDispute = (kind: 'contradiction' | 'mismatch'): void => {
    this.#disputes.labels(kind).inc();
  };

  onDisputeVerdict = (verdict: 'agrees' | 'disagrees'): void => {
    this.#disputeVerdicts.labels(verdict).inc();
  };

  onPaused = (): void => {
    this.#pauses.inc();
  };

  watch(levels: Levels): void {
    this.#gauge('florin_create_queue', 'Payments waiting to be written.', levels.queuedCreates);
    this.#gauge('florin_delivery_in_flight', 'Deliveries being sent.', levels.deliveriesInFlight);
    const lag = new Gauge({
      name: 'florin_delivery_backlog_lag_seconds',
      help: 'How long the delivery longest due has been waiting, of those not set aside.',
      registers: [this.#registry],
    });
    const setAside = new Gauge({
      name: 'florin_delivery_aside',
      help: 'Due deliveries that wait for an endpoint that is slow, failing or paused (at most 100,000 are counted).',
      registers: [this.#registry],
    });
    new Gauge({
      name: 'florin_delivery_open',
      help: 'Deliveries not yet succeeded or failed (at most 100,000 are counted).',
      registers: [this.#registry],
      async collect() {
        // While the database is away the other metrics are wanted most: this one is then not a number.
        const { open, aside, lagSeconds } = await levels.deliveryBacklog().catch(() => unknownBacklog);
        this.set(open);
        setAside.set(aside);
        lag.set(lagSeconds);
      },
    });
    new Gauge({
      name: 'florin_database_connections',
      help: 'Connections to PostgreSQL by pool and state; waiting are requests without one.',
      labelNames: ['pool', 'state'],
      registers: [this.#registry],
      collect() {
        for (const [pool, { total, idle, waiting }] of Object.entries(levels.pools())) {
          this.set({ pool, state: 'used' }, total - idle);
          this.set({ pool, state: 'idle' }, idle);
          this.set({ pool, state: 'waiting' }, waiting);
        }
      },
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #histogram<Label extends string>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: Label[] = [],
  ): Histogram<Label> {
    return new Histogram({ name, help, buckets, labelNames, registers: [this.#registry] });
  }

  #gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.set(read());
      },
    });
  }
}
