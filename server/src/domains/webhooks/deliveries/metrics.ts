import type { Clock } from '../../../core/clock.ts';
import { type Metrics, requestSecondsBuckets } from '../../../platform/metrics/metrics.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { countBacklog } from './statements.ts';

/** Shown while the database is unavailable, when the other metrics are needed most. */
const unknownBacklog = { open: Number.NaN, due: Number.NaN, lagSeconds: Number.NaN };

/** Metrics of webhook delivery. Returns the observers of the delivery worker. */
export function deliveryMetrics(metrics: Metrics, database: Queryable, clock: Clock, inFlight: () => number) {
  const attempts = metrics.counter('florin_delivery_attempts_total', 'Webhook delivery attempts by outcome.', [
    'outcome',
  ]);
  const attemptSeconds = metrics.histogram(
    'florin_delivery_attempt_seconds',
    'Duration of one webhook delivery attempt.',
    requestSecondsBuckets,
  );
  const lagSeconds = metrics.histogram(
    'florin_delivery_lag_seconds',
    'Time from when a delivery was due until it was sent.',
    requestSecondsBuckets,
  );
  const pauses = metrics.counter(
    'florin_endpoint_pauses_total',
    'Pauses of webhook endpoints: after five failures in a row and after each failed trial.',
  );
  metrics.gauge('florin_delivery_in_flight', 'Webhook deliveries in flight.', async (gauge) => gauge.set(inFlight()));
  let backlog = Promise.resolve(unknownBacklog);
  metrics.databaseGauge(
    'florin_delivery_open',
    'Webhook deliveries that have not ended (at most 100,000 are counted).',
    async (gauge) => {
      backlog = readBacklog(database, clock).catch(() => unknownBacklog);
      gauge.set((await backlog).open);
    },
  );
  metrics.databaseGauge(
    'florin_delivery_due',
    'Webhook deliveries that are due and have not ended, those in flight included (at most 100,000 are counted).',
    async (gauge) => gauge.set((await backlog).due),
  );
  metrics.databaseGauge(
    'florin_delivery_backlog_lag_seconds',
    'How long the oldest due delivery to an endpoint that is not failing has been due.',
    async (gauge) => gauge.set((await backlog).lagSeconds),
  );
  // Looking a series up by its labels would hash them each time.
  const seriesByOutcome = new Map<string, { inc: () => void }>();
  return {
    onAttempt: ({ outcome, durationMs, lagMs }: { outcome: string; durationMs: number; lagMs: number }): void => {
      let series = seriesByOutcome.get(outcome);
      if (series === undefined) {
        series = attempts.labels(outcome);
        seriesByOutcome.set(outcome, series);
      }
      series.inc();
      attemptSeconds.observe(durationMs / 1000);
      lagSeconds.observe(Math.max(0, lagMs) / 1000);
    },
    onPaused: (): void => pauses.inc(),
  };
}

async function readBacklog(database: Queryable, clock: Clock): Promise<typeof unknownBacklog> {
  const nowMs = clock();
  const [row] = await database.run(countBacklog, [nowMs]);
  return {
    open: row?.open ?? 0,
    due: row?.due ?? 0,
    lagSeconds: Math.max(0, nowMs - (row?.oldest_ms ?? nowMs)) / 1000,
  };
}
