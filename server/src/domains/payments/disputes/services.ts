import { publicId } from '../../../core/id.ts';
import { failureLog } from '../../../platform/jobs/failure-log.ts';
import type { WebhooksApp } from '../../webhooks/app.ts';
import type { PaymentsApp } from '../app.ts';
import type { DiscrepancyRow } from '../operations/discrepancies/record.ts';
import { providersWithDisputes } from '../providers/abilities.ts';
import { answerWorker } from './answer-worker.ts';
import type { ApplyDeps } from './apply-deps.ts';
import { deadlineWorker } from './deadline-worker.ts';
import { disputeFundsOf } from './found-funds.ts';
import { disputeMetrics } from './metrics.ts';
import { DisputeNotices } from './notices.ts';
import { ReadingPace } from './reading-pace.ts';
import { channelReadingWorker, disputeReadingWorker } from './reading-worker.ts';

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
    | 'settler'
    | 'methodCustomers'
    | 'disputeFunds'
    | 'rawBodies'
    | 'dispatcher'
  > & { discrepancies: { labels: (kind: 'overdrawn' | 'other_currency') => { inc: () => void } } };

/** Makes what follows disputes, and registers what closes discrepancies about them. */
export function disputeServices(app: Needs) {
  const { settings, workerDatabase, log, sandboxEnabled } = app;
  const observers = discrepancyObservers(app);
  const observeDispute = disputeMetrics(app.metrics, workerDatabase, app.clock);
  const timeoutMs = settings['app.provider.timeout'];
  const { pace } = app.dispatcher;
  const common = { ...app, pace, ...observers, database: workerDatabase, timeoutMs, observeDispute };
  const notices = new DisputeNotices(common);
  app.disputeFunds.register(disputeFundsOf(common));
  const answering = { ...common, notices };
  const reading = {
    ...common,
    notices,
    readingPace: new ReadingPace({
      ...common,
      callsPerSecond: settings['app.provider.calls-per-second'],
    }),
    listIntervalMs: settings['app.dispute.list-interval'],
    readForMs: settings['app.dispute.read-for'],
    providersWithDisputes: providersWithDisputes.filter((name) => name !== 'sandbox' || sandboxEnabled),
    ...failureLog(log, 'Reading disputes'),
  };
  return {
    observeDispute,
    disputeNotices: notices,
    disputeWorkers: [
      answerWorker({ ...answering, ...failureLog(log, 'Answering disputes') }),
      deadlineWorker({ ...common, ...failureLog(log, 'Following deadlines of disputes') }),
      channelReadingWorker(reading),
      disputeReadingWorker(reading),
    ],
  };
}

/** Warn an operator of what Florin cannot mend. */
function discrepancyObservers({
  discrepancies,
  log,
}: Pick<Needs, 'discrepancies' | 'log'>): Pick<ApplyDeps, 'onOverdrawn' | 'onOtherCurrency'> {
  const warn = (kind: 'overdrawn' | 'other_currency', message: string) => (row: DiscrepancyRow) => {
    discrepancies.labels(kind).inc();
    const { transaction_id, channel_id: channelId, amount, currency } = row;
    log.warn({ transactionId: publicId('txn', transaction_id), channelId, amount, currency }, message);
  };
  return {
    onOverdrawn: warn('overdrawn', 'More of a payment was given back than it took'),
    onOtherCurrency: warn('other_currency', 'A dispute has another currency than its payment: close its discrepancy'),
  };
}
