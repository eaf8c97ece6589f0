import { publicId } from '../../../core/id.ts';
import { failureLog } from '../../../platform/jobs/failure-log.ts';
import type { WebhooksApp } from '../../webhooks/app.ts';
import type { PaymentsApp } from '../app.ts';
import type { ObserveCall } from './call.ts';
import { RegisteredDisputeFunds } from './discrepancies/dispute-funds.ts';
import { type DiscrepancyWorkerDeps, discrepancyWorker } from './discrepancies/worker.ts';
import { Dispatcher } from './dispatcher.ts';
import { WaitingPayments } from './look-up-waiting.ts';
import { PayerReturns } from './payer-returns.ts';
import { FinishedRechecker } from './recheck-finished.ts';
import { Settler, type SettlerDeps } from './settle.ts';

/** In seconds. Providers usually answer a charge in 0.2 to 3 s; `app.provider.timeout` is 20 s by default. */
const providerSecondsBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30];

type Needs = WebhooksApp &
  Pick<
    PaymentsApp,
    | 'settings'
    | 'providers'
    | 'channels'
    | 'credentials'
    | 'operatorWarnings'
    | 'payments'
    | 'invoicePayments'
    | 'chargeMethods'
    | 'waitingSetups'
  > & { discrepancies: ReturnType<typeof discrepancyCounter> };

/** Makes what calls providers and settles what they answer. */
export function operationServices(app: Needs) {
  const { settings, log, queueDatabase, sandboxEnabled, waitingWork } = app;
  const common = {
    ...app,
    database: queueDatabase,
    timeoutMs: settings['app.provider.timeout'],
    rateLimitWaitMs: settings['app.provider.rate-limit-wait'],
    payerTimeoutMs: settings['app.payment.payer-timeout'],
    callsPerSecond: settings['app.provider.calls-per-second'],
    observe: providerCallObserver(app),
  };
  const { onDiscrepancy, onVerdict } = discrepancyObservers(app);
  const settler = new Settler({ ...common, onDiscrepancy });
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
  const payerReturns = new PayerReturns({
    ...common,
    waitingPayments,
    logError: (error, message) => log.warn({ error }, message),
  });
  const discrepancyLookUps = discrepancyWorker({
    ...common,
    settler,
    onVerdict,
    ...failureLog(log, 'Looking up discrepancies'),
  });
  return {
    disputeFunds: new RegisteredDisputeFunds(),
    settler,
    dispatcher,
    rechecker,
    waitingPayments,
    payerReturns,
    discrepancyWorker: discrepancyLookUps,
  };
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

/** Also counts reports about payment methods that name the other mode. */
export function discrepancyCounter({ metrics }: Pick<WebhooksApp, 'metrics'>) {
  return metrics.counter(
    'florin_discrepancies_total',
    'Discrepancies: outcomes that contradict the settled one (contradiction), ' +
      'are of another amount (mismatch) or of the other mode, also of a payment method ' +
      '(mode_mismatch), operations that a provider has forgotten (forgotten), payments of which more was given back ' +
      'than they took (overdrawn), and disputes in another currency (other_currency).',
    ['kind'],
  );
}

/** Counts and logs discrepancies and their verdicts. */
function discrepancyObservers({
  log,
  metrics,
  discrepancies,
}: Needs): Pick<SettlerDeps, 'onDiscrepancy'> & Pick<DiscrepancyWorkerDeps, 'onVerdict'> {
  const lookedUp = metrics.counter(
    'florin_discrepancy_lookups_total',
    'Look-ups of operations with a discrepancy: the provider agrees or disagrees with what is settled.',
    ['result'],
  );
  return {
    onDiscrepancy: (
      { id, number, state, operation_amount, currency, livemode },
      { kind: said, money, ...named },
      kind,
    ) => {
      discrepancies.labels(kind).inc();
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
