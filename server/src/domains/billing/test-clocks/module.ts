import { fallbackPollMs } from '../../../platform/jobs/due-work-poller.ts';
import { defineModule } from '../../../platform/module.ts';
import type { Node } from '../../../platform/node.ts';
import { clockRoutes } from './routes.ts';
import { clockRecord } from './schema.ts';
import { advancingClockDue, clocksDue } from './statements.ts';
import { TestClockWorker } from './worker.ts';

type Provided = ReturnType<typeof provide>;

/** Clocks that tests and demonstrations can advance. Only offered in STANDALONE mode. */
export const testClocks = defineModule({
  name: 'test-clocks',
  tables: ['clock'],
  reference: [{ name: 'Clocks', description: 'Clocks that tests can advance.' }],
  resources: { clock: clockRecord },
  provide,
  routes: (context: Node & Provided) => clockRoutes({ ...context, offered: context.clocksOffered }),
  workers: ({ clocksOffered, testClockWorker }: Provided) =>
    clocksOffered
      ? [
          {
            name: 'test clocks',
            start: () => testClockWorker.start(),
            stop: () => testClockWorker.stop(),
            wake: () => testClockWorker.wake(),
            dueWork: { topic: clocksDue, due: advancingClockDue },
          },
        ]
      : [],
});

function provide({ workerDatabase, topics, deploymentMode, log }: Node) {
  const testClockWorker = new TestClockWorker({
    database: workerDatabase,
    wake: (due) => topics.deliver(due),
    pollMs: () => fallbackPollMs,
    onError: (error) => log.warn({ error }, 'Advancing test clocks is failing; retrying'),
  });
  return { testClockWorker, clocksOffered: deploymentMode === 'STANDALONE' };
}
