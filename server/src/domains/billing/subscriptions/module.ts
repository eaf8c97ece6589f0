import { fallbackPollMs } from '../../../platform/jobs/due-work-poller.ts';
import { defineModule } from '../../../platform/module.ts';
import type { NodeWith } from '../../../platform/node.ts';
import { type SettingsOf, setting } from '../../../platform/settings/declare.ts';
import { durations } from '../../../platform/settings/kinds.ts';
import type { ChannelDirectory } from '../../payments/channels/directory.ts';
import type { TransactionCreator } from '../../payments/transactions/create.ts';
import type { InvoiceFollowers } from '../invoices/followers.ts';
import type { PlanUsages } from '../plans/usages.ts';
import type { TestClockWorker } from '../test-clocks/worker.ts';
import { followClosed, followPayments } from './collect.ts';
import { subscriptionChecks } from './integrity.ts';
import { isPlanInUse } from './plan-use.ts';
import { subscriptionRoutes } from './routes.ts';
import { previewedInvoice, subscriptionRecord } from './schema.ts';
import { subscriptionDue } from './statements.ts';
import { SubscriptionWorker } from './worker.ts';
import { subscriptionsDue } from './write-statements.ts';

const settings = {
  'app.subscription.retry-intervals': setting(durations, {
    default: '2d,5d,7d,7d',
    description:
      'The waits after each payment of a subscription that failed, until the next try; when they are used up it is cancelled.',
  }),
};

type Needs = NodeWith<SettingsOf<typeof settings>> & {
  channels: ChannelDirectory;
  creator: TransactionCreator;
  invoiceFollowers: InvoiceFollowers;
  testClockWorker: TestClockWorker;
  planUsages: PlanUsages;
};
type Provided = ReturnType<typeof provide>;

/** Recurring payments for a plan: periods, proration, renewal and retries of failed payments. */
export const subscriptions = defineModule({
  name: 'subscriptions',
  tables: ['subscription', 'subscription_period', 'subscription_line', 'subscription_charge'],
  settings,
  reference: [{ name: 'Subscriptions', description: 'Recurring payments for a plan.' }],
  resources: { subscription: subscriptionRecord, 'previewed invoice': previewedInvoice },
  provide,
  routes: (context: Needs) => subscriptionRoutes(context),
  workers: ({ subscriptionWorker }: Provided) => [
    {
      name: 'subscriptions',
      start: () => subscriptionWorker.start(),
      stop: () => subscriptionWorker.stop(),
      wake: () => subscriptionWorker.wake(),
      dueWork: { topic: subscriptionsDue, due: subscriptionDue },
    },
  ],
  integrity: subscriptionChecks,
});

function provide(needs: Needs) {
  const {
    settings,
    openPool,
    clock,
    drawUuid,
    creator,
    failPoint,
    log,
    invoiceFollowers,
    testClockWorker,
    planUsages,
  } = needs;
  const retryIntervalsMs = settings['app.subscription.retry-intervals'];
  const subscriptionWorker = new SubscriptionWorker({
    database: openPool('subscriptions', 1, 'batched'),
    clock,
    drawUuid,
    retryIntervalsMs,
    failPoint,
    creator,
    idlePollMs: fallbackPollMs,
    onError: (error) => log.warn({ error }, 'Subscription billing is failing; retrying'),
    onRecovered: () => log.info('Subscription billing works again'),
  });
  const following = { drawUuid, retryIntervalsMs };
  invoiceFollowers.register({
    settled: (transaction, payments) => followPayments(transaction, payments, following),
    closed: (transaction, invoice) => followClosed(transaction, invoice, following),
  });
  planUsages.register(isPlanInUse);
  testClockWorker.follow(subscriptionWorker.clockWork);
  return { subscriptionWorker };
}
