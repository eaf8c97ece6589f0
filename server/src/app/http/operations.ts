import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type Clock, secondMs } from '../../core/clock.ts';
import { Refusal } from '../../core/errors.ts';
import { rule } from '../../core/refusal-rules.ts';
import type { Route } from '../../platform/http/route.ts';
import { routesFor } from '../../platform/http/routes-for.ts';
import type { PrimaryMonitor, Room } from '../../platform/postgres/connection/primary-monitor.ts';

/**
 * In a failover all nodes lose their database at the same moment. If they became unready at once, the load balancer
 * would have no node left and answer by itself. A node stays ready for this time and answers requests with 503 and
 * Retry-After.
 */
const toleratedAbsenceMs = 20 * secondMs;

/** What the health checks read. */
export interface OperationsApp {
  primary: Pick<PrimaryMonitor, 'absence' | 'hasBeenWritable' | 'room'>;
  clock: Clock;
  /** Whether the service has begun to stop. */
  isStopping: () => boolean;
}

const status = Type.Object({ status: Type.String() }, { $id: 'Health' });

const bytes = (description: string) => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });

const readiness = Type.Object(
  {
    status: Type.String(),
    storage: Type.Optional(
      Type.Object(
        {
          freeBytes: bytes('What is left of it.'),
          totalBytes: bytes('Its size.'),
        },
        { description: 'The disk of the embedded PostgreSQL. Absent where the database is elsewhere.' },
      ),
    ),
  },
  { $id: 'Readiness' },
);

const { get } = routesFor<OperationsApp>();

/** Health checks for load balancers and orchestrators. */
export const operationsRoutes: readonly Route<OperationsApp>[] = [
  get('/health/live', 'nothing', 'Operations', {
    operationId: 'getLiveness',
    summary: 'Liveness: the process runs',
    description: 'Answers while the process runs, whatever its database does.',
    takesAnyQuery: true, // A probe may add one that defeats caches. Refusing it would take the node out of service.
    data: status,
    handle: async () => ({ data: { status: 'live' } }),
  }),
  get('/health/ready', 'nothing', 'Operations', {
    operationId: 'getReadiness',
    summary: 'Readiness: requests can be served',
    description:
      '503 while the database has not accepted writes for 20 seconds, while its disk is full, ' +
      'before it has accepted any since the start, and after the service has begun to stop. ' +
      '`error.details` holds the reason.',
    takesAnyQuery: true,
    data: readiness,
    handle: async (_call, { primary, clock, isStopping }) => {
      if (isStopping()) {
        throw new Refusal('shutting_down', 'This node is stopping. Ask another.', { retryAfterSeconds: 1 });
      }
      assertWritable(primary, clock());
      return { data: { status: 'ready', ...(primary.room !== undefined && { storage: storageOf(primary.room) }) } };
    },
  }),
];

const storageOf = ({ free, total }: Room) => ({ freeBytes: free, totalBytes: total });

/** Answers from memory: the monitor probes the database, however often the load balancer asks. */
function assertWritable({ absence, hasBeenWritable, room }: OperationsApp['primary'], nowMs: number): void {
  const absentMs = absence === undefined ? 0 : nowMs - absence.sinceMs;
  if (absence?.reason === 'full') {
    throw new Refusal('storage_full', rule('disk_is_full'), {
      retryAfterSeconds: 10,
      details: { seconds: Math.floor(absentMs / secondMs), ...(room !== undefined && storageOf(room)) },
    });
  }
  if (hasBeenWritable && absentMs < toleratedAbsenceMs) return;
  const reason = absence?.reason ?? 'away';
  const seconds = Math.max(0, Math.floor(absentMs / secondMs));
  const broken =
    reason === 'away'
      ? hasBeenWritable
        ? rule('database_away_for', { seconds })
        : rule('database_never_reached')
      : hasBeenWritable
        ? rule('database_read_only_for', { seconds })
        : rule('database_never_written');
  throw new Refusal('database_unavailable', broken, { retryAfterSeconds: 1, details: { reason, seconds } });
}

/** Long enough that any number of requests costs little, short enough for every scrape interval. */
const metricsKeptMs = secondMs;

/**
 * Prometheus metrics at /metrics: counts and durations, never data of payments or users. The text is made once a second
 * at most: after some use it has 700 KB.
 */
export function addMetricsRoute(
  app: FastifyInstance,
  { contentType, makeText, assertMayRead }: MetricsRouteOptions,
): void {
  const text = keptFor(metricsKeptMs, makeText);
  app.get('/metrics', { onRequest: assertMayRead }, async (_request, reply) =>
    reply.header('content-type', contentType).send(await text()),
  );
}

export interface MetricsRouteOptions {
  contentType: string;
  makeText: () => Promise<string>;
  /** Rejects with a refusal for those who may not read them. */
  assertMayRead: (request: FastifyRequest) => Promise<void>;
}

/**
 * The result of the last call while it is not older than this; a call that is in progress is shared. Failures are not
 * kept.
 */
function keptFor<Result>(keptMs: number, make: () => Promise<Result>): () => Promise<Result> {
  let last: { result: Promise<Result>; madeAtMs: number } | undefined;
  return () => {
    if (last !== undefined && performance.now() - last.madeAtMs <= keptMs) return last.result;
    const made = { result: make(), madeAtMs: Number.POSITIVE_INFINITY };
    last = made;
    made.result.then(
      () => {
        made.madeAtMs = performance.now();
      },
      () => {
        if (last === made) last = undefined;
      },
    );
    return made.result;
  };
}
