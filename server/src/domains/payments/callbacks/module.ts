import type { FailureLimiter } from '../../../platform/http/limits/rate-limiter.ts';
import { failureLog } from '../../../platform/jobs/worker.ts';
import { defineModule } from '../../../platform/module.ts';
import type { Node } from '../../../platform/node.ts';
import { sealedColumn } from '../../../platform/postgres/sealed-column-statements.ts';
import type { ChannelCredentials } from '../channels/credentials.ts';
import type { ChannelDirectory } from '../channels/directory.ts';
import type { FinishedRechecker } from '../processing/recheck-finished.ts';
import type { Settler } from '../processing/settle.ts';
import type { Providers } from '../providers/directory.ts';
import { bodyPlace, CallbackIntake } from './receive.ts';
import { callbackRoutes } from './routes.ts';
import { callbackReceived } from './schema.ts';
import { sweepCallbacks } from './sweep.ts';
import { callbackWorker } from './worker.ts';

type Needs = Node & {
  channels: ChannelDirectory;
  credentials: ChannelCredentials;
  providers: Providers;
  settler: Settler;
  rechecker: FinishedRechecker;
  makeFailureLimiter: (what: string) => FailureLimiter;
};
type Provided = ReturnType<typeof provide>;

/** Callbacks of payment providers: verified, stored before they are answered, and settled afterwards. */
export const callbacks = defineModule({
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
      place: ({ channel_id, id }) => bodyPlace(channel_id, id),
    }),
  ],
  reference: [{ name: 'Callbacks', description: 'Callbacks of payment providers.' }],
  schemas: { CallbackReceipt: callbackReceived },
  provide,
  routes: (context: Provided) => callbackRoutes(context),
  workers: ({ callbacks }: Provided) => [callbacks],
  retention: ({ database }: Node) => [{ name: 'callbacks', sweep: (nowMs) => sweepCallbacks(database, nowMs) }],
});

function provide(needs: Needs) {
  const { log, metrics, workerDatabase, providers } = needs;
  const received = metrics.counter(
    'florin_callbacks_total',
    'Callbacks from providers: received, repeated, or refused because they do not verify.',
    ['result'],
  );
  const settled = metrics.counter(
    'florin_callbacks_settled_total',
    'Results of stored callbacks: settled, or ignored because their operation was not found.',
    ['result'],
  );
  const callbacks = callbackWorker({
    ...needs,
    database: workerDatabase,
    observe: (result) => settled.labels(result).inc(),
    ...failureLog(log, 'Settling callbacks'),
  });
  const intake = new CallbackIntake({
    ...needs,
    failures: needs.makeFailureLimiter('callbacks that do not verify'),
    observe: (result) => received.labels(result).inc(),
  });
  providers.deliverCallback = (channelId, headers, body) =>
    intake.receiveFromSandbox(channelId, { headers, query: {}, body });
  return { callbacks, intake };
}
