import { failureLog } from '../../../platform/jobs/failure-log.ts';
import type { Module } from '../../../platform/module.ts';
import { sealedColumn } from '../../../platform/postgres/sealed-column-statements.ts';
import type { PaymentsApp } from '../app.ts';
import { bodyAssociatedData } from './receive.ts';
import { callbackRoutes } from './routes.ts';
import { sweepCallbacks } from './sweep.ts';
import { callbackWorker } from './worker.ts';

/** Callbacks of payment providers: verified, stored before they are answered, and settled afterwards. */
export const callbacks = {
  name: 'callbacks',
  tables: ['provider_callback'],
  sealed: [
    sealedColumn<{ channel_id: number; event_id: string; id: string }>({
      noun: 'callbacks',
      table: 'provider_callback',
      column: 'body_sealed',
      key: [
        ['channel_id', 'bigint'],
        ['event_id', 'text'],
      ],
      further: ['id'],
      associatedData: ({ channel_id, id }) => bodyAssociatedData(channel_id, id),
    }),
  ],
  reference: [{ name: 'Callbacks', description: 'Callbacks of payment providers.' }],
  routes: callbackRoutes,
  workers: (app) => [settlingWorker(app)],
  retention: ({ database }) => [{ name: 'callbacks', sweep: (nowMs) => sweepCallbacks(database, nowMs) }],
} satisfies Module<PaymentsApp>;

function settlingWorker(app: PaymentsApp) {
  const settled = app.metrics.counter(
    'florin_callbacks_settled_total',
    'Results of stored callbacks: settled, or ignored because their operation was not found.',
    ['result'],
  );
  return callbackWorker({
    ...app,
    database: app.workerDatabase,
    observe: (result) => settled.labels(result).inc(),
    ...failureLog(app.log, 'Settling callbacks'),
  });
}
