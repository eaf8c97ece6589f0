import type { Clock } from '../../../core/clock.ts';
import { type Metrics, requestSecondsBuckets } from '../../../platform/metrics/metrics.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { deliveryBacklog } from './claiming/backlog.ts';

/** The backlog as it is shown while the database is away: the other metrics are wanted most then. */
const unknownBacklog = { open: Number.NaN, aside: Number.NaN, lagSeconds: Number.NaN };

/** Metrics of webhook delivery. Returns the observers of the delivery worker. */
export function deliveryMetrics(metrics: Metrics, database: Queryable, clock: Clock, inFlight: () => number) {
  const attempts = metrics.counter('florin_delivery_attempts_total', 'Webhook delivery attempts by outcome.', [
    'outcome',
  ]);
  const attemptSeconds = metrics.histogram(
    'florin_delivery_attempt_seconds',
    'Time one attempt took.',
    requestSecondsBuckets,
  );
  const lagSeconds = metrics.histogram(
    'florin_delivery_lag_seconds',
    'From being due to being sent.',
    requestSecondsBuckets,
  );
  const pauses = metrics.counter(
    'florin_endpoint_pauses_total',
    'Pauses of webhook endpoints after failures in a row, and after each trial that failed.',
  );
  metrics.gauge('florin_delivery_in_flight', 'Deliveries being sent.', async (gauge) => gauge.set(inFlight()));
  let backlog = Promise.resolve(unknownBacklog);
  metrics.gauge(
    'florin_delivery_open',
    'Deliveries not yet succeeded or failed (at most 100,000 are counted).',
    async (gauge) => {
      backlog = deliveryBacklog(database, clock).catch(() => unknownBacklog);
      gauge.set((await backlog).open);
    },
  );
  metrics.gauge(
    'florin_delivery_aside',
    'Due deliveries that wait for an endpoint that is slow, failing or paused (at most 100,000 are counted).',
    async (gauge) => gauge.set((await backlog).aside),
  );
  metrics.gauge(
    'florin_delivery_backlog_lag_seconds',
    'How long the delivery longest due has been waiting, of those not parked.',
    async (gauge) => gauge.set((await backlog).lagSeconds),
  );
  // Kept, since finding a series by its labels hashes them each time.
  const attemptsOf = new Map<string, { inc: () => void }>();
  return {
    onAttempt: ({ outcome, durationMs, lagMs }: { outcome: string; durationMs: number; lagMs: number }): void => {
      let series = attemptsOf.get(outcome);
      if (series === undefined) {
        series = attempts.labels(outcome);
        attemptsOf.set(outcome, series);
      }
      series.inc();
      attemptSeconds.observe(durationMs / 1000);
      lagSeconds.observe(Math.max(0, lagMs) / 1000);
    },
    onPaused: (): void => pauses.inc(),
  };
}
