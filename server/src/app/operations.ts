import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { endpoint, type Route } from '../platform/http/route.ts';
import type { Database } from '../platform/postgres/database.ts';
import { statement } from '../platform/postgres/statement.ts';
import { Refusal } from '../vocabulary/errors.ts';
import type { Metrics } from './metrics.ts';

const answers = statement('operations.ready', 'select 1');

export interface OperationsDeps {
  database: Database;
  /** True once the service has begun to stop. */
  isStopping: () => boolean;
}

const status = Type.Object({ status: Type.String() });

/** What balancers and orchestrators ask. */
export function operationsRoutes({ database, isStopping }: OperationsDeps): Route[] {
  return [
    {
      method: 'GET',
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
      path: '/health/ready',
      needs: 'nothing',
      group: 'Operations',
      endpoint: endpoint({
        summary: 'Can requests be served',
        description: '503 while the database does not answer, and from the moment the service begins to stop.',
        data: status,
        handle: async () => {
          if (isStopping()) {
            throw new Refusal('shutting_down', 'This node is stopping. Ask another.', { retryAfterSeconds: 1 });
          }
          await database.run(answers);
          return { data: { status: 'ready' } };
        },
      }),
    },
  ];
}

/** Prometheus text at /metrics; it holds counts and times, never what was paid or by whom. */
export function addMetricsRoute(app: FastifyInstance, metrics: Metrics): void {
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply.header('content-type', metrics.contentType).send(await metrics.text()),
  );
}
