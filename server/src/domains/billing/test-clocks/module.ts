import { failureLog } from '../../../platform/jobs/worker.ts';
import { defineModule } from '../../../platform/module.ts';
import type { Node } from '../../../platform/node.ts';
import { clockRoutes } from './routes.ts';
import { clockAdvance, clockInput, clockRecord } from './schema.ts';
import { TestClocks } from './worker.ts';

type Provided = ReturnType<typeof provide>;

/** Clocks that tests and demonstrations can advance. Only offered in STANDALONE mode. */
export const testClocks = defineModule({
  name: 'test-clocks',
  tables: ['clock'],
  auditActions: {
    'clock.create': 'A test clock was created.',
    'clock.advance': 'A test clock was advanced.',
  },
  reference: [{ name: 'Clocks', description: 'Clocks that tests can advance.' }],
  resources: { clock: clockRecord },
  schemas: { ClockCreateInput: clockInput, ClockAdvanceInput: clockAdvance, Clock: clockRecord },
  provide,
  routes: (context: Node & Provided) => clockRoutes({ ...context, offered: context.clocksOffered }),
  workers: ({ clocksOffered, testClocks }: Provided) => (clocksOffered ? [testClocks.worker] : []),
});

function provide({ workerDatabase, topics, deploymentMode, log }: Node) {
  const testClocks = new TestClocks({
    database: workerDatabase,
    wake: (due) => topics.deliver(due),
    ...failureLog(log, 'Advancing test clocks'),
  });
  return { testClocks, clocksOffered: deploymentMode === 'STANDALONE' };
}
