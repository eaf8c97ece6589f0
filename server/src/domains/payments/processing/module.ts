import { publicId } from '../../../core/id.ts';
import { failureLog } from '../../../platform/jobs/worker.ts';
import { defineModule } from '../../../platform/module.ts';
import type { NodeWith } from '../../../platform/node.ts';
import { type SettingsOf, setting } from '../../../platform/settings/declare.ts';
import { durationOfAtLeast, integer } from '../../../platform/settings/kinds.ts';
import type { ChannelCredentials } from '../channels/credentials.ts';
import type { ChannelDirectory } from '../channels/directory.ts';
import type { Providers } from '../providers/directory.ts';
import type { TransactionReader } from '../transactions/read.ts';
import type { PaymentTransitions } from '../transactions/transition-statements.ts';
import type { ObserveCall } from './call.ts';
import { Dispatcher } from './dispatcher.ts';
import { disputeCloseInput, disputeRecord } from './disputes/schema.ts';
import { type DisputeWorkerDeps, disputeWorker } from './disputes/worker.ts';
import { processingChecks, processingFindings } from './integrity.ts';
import { WaitingPayments } from './look-up-waiting.ts';
import { FinishedRechecker } from './recheck-finished.ts';
import { processingRoutes } from './routes.ts';
import { timelineStep } from './schema.ts';
import { Settler, type SettlerDeps } from './settle.ts';

/** In seconds. Providers usually answer a charge in 0.2 to 3 s; `app.provider.timeout` is 20 s by default. */
const providerSecondsBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30];

const settings = {
  'app.provider.timeout': setting(durationOfAtLeast(1, 'a millisecond'), {
    default: '20s',
    description: 'Total time limit of a call to a payment provider; after it the outcome is unknown.',
  }),
  'app.provider.rate-limit-wait': setting(durationOfAtLeast(0, 'zero'), {
    default: '1h',
    description:
      'How long a charge that a rate limit of the provider refuses (429) is sent again, if no fallback channel takes it; then ' +
      'the payment is FAILED with `provider_unavailable`.',
  }),
  'app.provider.calls-per-second': setting(integer(1, 10_000), {
    description:
      'Charges, refunds, cancellations and look-ups a second through each channel, from all nodes together. Without it only what a ' +
      'provider refuses (429) slows a channel down.',
  }),
};

type Needs = NodeWith<SettingsOf<typeof settings>> & {
  channels: ChannelDirectory;
  credentials: ChannelCredentials;
  providers: Providers;
  reader: TransactionReader;
  transitions: PaymentTransitions;
};
type Provided = ReturnType<typeof provide>;

/** Brings charges, refunds and cancellations to their providers, settles the outcomes, and shows the timeline of a payment. */
export const processing = defineModule({
  name: 'processing',
  tables: ['provider_dispute'],
  settings,
  auditActions: {
    'dispute.close':
      'A dispute with a provider was closed; `outcome` says how its operation was ended. The record is its payment.',
  },
  reference: [{ name: 'Disputes', description: 'Operations about which a provider contradicts what is settled.' }],
  resources: { 'timeline step': timelineStep, dispute: disputeRecord },
  schemas: { TimelineStep: timelineStep, Dispute: disputeRecord, DisputeCloseInput: disputeCloseInput },
  provide,
  routes: (context: Needs & Provided) => processingRoutes(context),
  workers: ({ dispatcher, disputes }: Provided) => [dispatcher.worker, disputes],
  integrity: processingChecks,
  findings: processingFindings,
});

function provide(needs: Needs) {
  const { settings, log, queueDatabase, sandboxEnabled, waitingWork } = needs;
  const common = {
    ...needs,
    database: queueDatabase,
    timeoutMs: settings['app.provider.timeout'],
    rateLimitWaitMs: settings['app.provider.rate-limit-wait'],
    callsPerSecond: settings['app.provider.calls-per-second'],
    observe: providerCallObserver(needs),
  };
  const { onDispute, onVerdict } = disputeObservers(needs);
  const settler = new Settler({ ...common, onDispute });
  const dispatcher = new Dispatcher({
    ...common,
    settler,
    disabledProviders: new Set(sandboxEnabled ? [] : (['sandbox'] as const)),
    ...failureLog(log, 'Payment processing'),
  });
  waitingWork.watch(() => dispatcher.worker.oldestWaitMs);
  waitingWork.watch(() => settler.oldestWaitMs);
  const rechecker = new FinishedRechecker({ ...common, settler });
  const waitingPayments = new WaitingPayments({ ...common, settler });
  const disputes = disputeWorker({ ...common, settler, onVerdict, ...failureLog(log, 'Looking up disputes') });
  return { settler, dispatcher, rechecker, waitingPayments, disputes };
}

/** Measures and traces how long providers take to answer. */
function providerCallObserver({ metrics, tracing, clock }: Needs): ObserveCall {
  const calls = metrics.histogram(
    'florin_provider_call_seconds',
    'Time of one call to a payment provider. `unknown`: it did not answer in time, or not clearly.',
    providerSecondsBuckets,
    ['provider', 'verb', 'outcome'],
  );
  // Looking a series up by its labels would hash them each time.
  const series = new Map<string, { observe: (seconds: number) => void }>();
  return (row, verb, outcome, seconds) => {
    const provider = row.operation_provider;
    const key = `${provider} ${verb} ${outcome}`;
    let found = series.get(key);
    if (found === undefined) {
      found = calls.labels(provider, verb, outcome);
      series.set(key, found);
    }
    found.observe(seconds);
    tracing?.record({
      name: `${verb} ${provider}`,
      transactionId: row.id,
      kind: 'client',
      endMs: clock(),
      durationMs: seconds * 1000,
      attributes: { 'florin.provider': provider, 'florin.operation': row.number, 'florin.outcome': outcome },
      failure: outcome === 'unknown' ? 'The provider did not answer in time, or not clearly.' : undefined,
    });
  };
}

/** Counts and logs disputes and their verdicts. */
function disputeObservers({
  log,
  metrics,
}: Needs): Pick<SettlerDeps, 'onDispute'> & Pick<DisputeWorkerDeps, 'onVerdict'> {
  const opened = metrics.counter(
    'florin_provider_disputes_total',
    'Disputes: outcomes that contradict the settled one (contradiction), are of another amount (mismatch) or of the other mode ' +
      '(mode_mismatch), and operations that a provider has forgotten (forgotten).',
    ['kind'],
  );
  const lookedUp = metrics.counter(
    'florin_provider_dispute_lookups_total',
    'Look-ups of disputed operations: the provider agrees or disagrees with what is settled.',
    ['result'],
  );
  return {
    onDispute: ({ id, number, state, operation_amount, currency, livemode }, { kind: said, money, ...named }, kind) => {
      opened.labels(kind).inc();
      const facts = { transactionId: publicId('txn', id), operation: number, stands: state, said };
      switch (kind) {
        case 'contradiction':
          return log.warn(facts, 'A provider contradicts itself');
        case 'mismatch': {
          const asked = { amount: operation_amount, currency };
          return log.warn(
            { ...facts, asked, named: money },
            'A provider names another amount or currency than was asked for',
          );
        }
        case 'mode_mismatch':
          return log.warn(
            { ...facts, livemode, named: named.livemode },
            'A provider names the other mode than the payment has',
          );
        case 'forgotten':
          return log.warn(facts, 'A provider can no longer say what became of an operation');
      }
    },
    onVerdict: ({ id, number, state, status }, { kind: said }, verdict) => {
      lookedUp.labels(verdict).inc();
      const facts = { transactionId: publicId('txn', id), operation: number, stands: state, payment: status, said };
      if (verdict === 'agrees') log.info(facts, 'A provider was looked up and agrees with what is settled');
      else log.warn(facts, "A provider's books disagree with ours");
    },
  };
}
