import { publicId } from '../../../core/id.ts';
import { fallbackPollMs } from '../../../platform/jobs/due-work-poller.ts';
import { defineModule } from '../../../platform/module.ts';
import type { NodeWith } from '../../../platform/node.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { type SettingsOf, setting } from '../../../platform/settings/declare.ts';
import { durationOfAtLeast } from '../../../platform/settings/kinds.ts';
import type { ChannelCredentials } from '../channels/credentials.ts';
import type { ChannelDirectory } from '../channels/directory.ts';
import { operationsDue } from '../operations/open.cte.ts';
import type { Providers } from '../providers/directory.ts';
import type { TransactionReader } from '../transactions/read.ts';
import type { PaymentTransitions } from '../transactions/transitions.ts';
import { operationDue } from './claim-statements.ts';
import { Dispatcher } from './dispatcher.ts';
import { DisputeWorker } from './dispute-worker.ts';
import { disputeDue, disputesDue } from './disputes-statements.ts';
import { processingChecks } from './integrity.ts';
import { RefundRechecker } from './recheck.ts';
import { processingRoutes } from './routes.ts';
import { timelineStep } from './schema.ts';
import { Settler } from './settle.ts';

const settings = {
  'app.provider.timeout': setting(durationOfAtLeast(1, 'a millisecond'), {
    default: '20s',
    description: 'How long one call of a payment provider may take in all; after it the outcome is unknown.',
  }),
};

type Needs = NodeWith<SettingsOf<typeof settings>> & {
  processingDatabase: Database;
  channels: ChannelDirectory;
  credentials: ChannelCredentials;
  providers: Providers;
  reader: TransactionReader;
  transitions: PaymentTransitions;
};
type Provided = ReturnType<typeof provide>;

/** Takes payments, refunds and cancellations through their providers, and shows the timeline of a payment. */
export const processing = defineModule({
  name: 'processing',
  tables: ['provider_dispute'],
  settings,
  resources: { 'timeline step': timelineStep },
  provide,
  routes: (context: Needs) => processingRoutes(context),
  workers: ({ dispatcher, settler, disputes }: Provided) => [
    {
      name: 'processing',
      start: () => dispatcher.start(),
      // What the dispatcher has started is settled before it counts as stopped.
      stop: async () => {
        await dispatcher.stop();
        await settler.drained();
      },
      wake: () => dispatcher.wake(),
      dueWork: { topic: operationsDue, due: operationDue },
      freeDeadLeases: () => dispatcher.freeDeadLeases(),
      clockWasSetBack: () => dispatcher.clockWasSetBack(),
    },
    {
      name: 'disputes',
      start: () => disputes.start(),
      stop: () => disputes.stop(),
      wake: () => disputes.wake(),
      dueWork: { topic: disputesDue, due: disputeDue },
      freeDeadLeases: () => disputes.freeDeadLeases(),
      clockWasSetBack: () => disputes.clockWasSetBack(),
    },
  ],
  integrity: processingChecks,
});

function provide(needs: Needs) {
  const { settings, log, metrics, processingDatabase, sandboxEnabled } = needs;
  const opened = metrics.counter(
    'florin_provider_disputes_total',
    'What providers said that cannot be true beside what stands (contradiction), or of another amount (mismatch).',
    ['kind'],
  );
  const lookedUp = metrics.counter(
    'florin_provider_dispute_lookups_total',
    'What look-ups of such operations came to: the provider agrees with what stands, or disagrees.',
    ['result'],
  );
  const timeoutMs = settings['app.provider.timeout'];
  const settler = new Settler({
    ...needs,
    database: processingDatabase,
    onContradiction: ({ id, number, state, operation_amount, currency }, { kind: said, money }, kind) => {
      opened.labels(kind).inc();
      const facts = { transactionId: publicId('txn', id), operation: number, stands: state, said };
      if (kind === 'contradiction') log.warn(facts, 'A provider contradicts itself');
      else {
        const asked = { amount: operation_amount, currency };
        log.warn({ ...facts, asked, named: money }, 'A provider names another amount or currency than was asked for');
      }
    },
  });
  const dispatcher = new Dispatcher({
    ...needs,
    database: processingDatabase,
    settler,
    disabledProviders: new Set(sandboxEnabled ? [] : (['sandbox'] as const)),
    timeoutMs,
    pollMs: () => fallbackPollMs,
    onError: (error) => log.warn({ error }, 'Payment processing is failing; retrying'),
    onRecovered: () => log.info('Payment processing works again'),
  });
  const rechecker = new RefundRechecker({ ...needs, database: processingDatabase, settler, timeoutMs });
  const disputes = new DisputeWorker({
    ...needs,
    database: processingDatabase,
    settler,
    timeoutMs,
    onVerdict: ({ id, number, state, status }, { kind: said }, verdict) => {
      lookedUp.labels(verdict).inc();
      const facts = { transactionId: publicId('txn', id), operation: number, stands: state, payment: status, said };
      if (verdict === 'agrees') log.info(facts, 'A provider was asked again and agrees with what stands');
      else log.warn(facts, "A provider's books disagree with ours");
    },
    pollMs: () => fallbackPollMs,
    onError: (error) => log.warn({ error }, 'Looking disputes up is failing; retrying'),
    onRecovered: () => log.info('Looking disputes up works again'),
  });
  return { settler, dispatcher, rechecker, disputes };
}
