import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { type Clock, secondMs } from '../core/clock.ts';
import { Refusal } from '../core/errors.ts';
import { endpoint, type Route } from '../platform/http/route.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import type { PrimaryMonitor } from '../platform/postgres/primary-monitor.ts';

/**
 * A failover takes all nodes their database at once. Were they unready at once, a balancer would have nobody to ask, and
 * answer by itself; so for this long a node stays in, and answers 503 with Retry-After.
 */
const toleratedAbsenceMs = 20 * secondMs;

export interface OperationsDeps {
  primary: Pick<PrimaryMonitor, 'absence' | 'hasBeenWritable'>;
  clock: Clock;
  /** True once the service has begun to stop. */
  isStopping: () => boolean;
}

const status = Type.Object({ status: Type.String() });

/** What balancers and orchestrators ask. */
export function operationsRoutes({ primary, clock, isStopping }: OperationsDeps): Route[] {
  return [
    {
      method: 'GET',
      head: true,
      path: '/health/live',
      needs: 'nothing',
      group: 'Operations',
      endpoint: endpoint({
        summary: 'Is the process running',
        data: status,
        handle: async () => ({ data: { status: 'live' } }),
      }),
    },
    {
      method: 'GET',
      head: true,
      path: '/health/ready',
      needs: 'nothing',
      group: 'Operations',
      endpoint: endpoint({
        summary: 'Can requests be served',
        description:
          '503 once the database has taken no writes for 20 seconds, until it has taken them for the first time since the start, and from the moment the service begins to stop. `error.details` says why.',
        data: status,
        handle: async () => {
          if (isStopping()) {
            throw new Refusal('shutting_down', 'This node is stopping. Ask another.', { retryAfterSeconds: 1 });
          }
          assertWritable(primary, clock());
          return { data: { status: 'ready' } };
        },
      }),
    },
  ];
}

/** From memory: the monitor asks the database, however often balancers ask this. */
function assertWritable({ absence, hasBeenWritable }: OperationsDeps['primary'], nowMs: number): void {
  const absentMs = absence === undefined ? 0 : nowMs - absence.sinceMs;
  if (hasBeenWritable && absentMs < toleratedAbsenceMs) return;
  const reason = absence?.reason ?? 'away';
  const seconds = Math.max(0, Math.floor(absentMs / secondMs));
  const what =
    reason === 'away'
      ? 'The database cannot be reached'
      : 'The database takes no writes: a standby, or set to read-only';
  const since = hasBeenWritable ? `, for ${seconds} s now.` : ', and has not since this node was started.';
  throw new Refusal('database_unavailable', what + since, { retryAfterSeconds: 1, details: { reason, seconds } });
}

/** Prometheus text at /metrics; it holds counts and times, never what was paid or by whom. */
export function addMetricsRoute(app: FastifyInstance, metrics: Metrics): void {
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply.header('content-type', metrics.contentType).send(await metrics.text()),
  );
}
