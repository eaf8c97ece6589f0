import { failureLog } from '../../../platform/jobs/worker.ts';
import { defineModule } from '../../../platform/module.ts';
import type { NodeWith } from '../../../platform/node.ts';
import { type SettingsOf, setting } from '../../../platform/settings/declare.ts';
import { durations } from '../../../platform/settings/kinds.ts';
import type { ChannelDirectory } from '../../payments/channels/directory.ts';
import type { TransactionCreator } from '../../payments/transactions/create.ts';
import type { InvoiceFollowers } from '../invoices/settlement/followers.ts';
import type { PlanUsages } from '../plans/usages.ts';
import type { TestClocks } from '../test-clocks/worker.ts';
import { followClosed, followPayments } from './charges/collect.ts';
import { subscriptionChecks } from './integrity.ts';
import { subscriptionTestClockWork, subscriptionWorker } from './renewal/worker.ts';
import { subscriptionRoutes } from './routes.ts';
import {
  cancelInput,
  createInput,
  previewedInvoice,
  state,
  subscriptionIdInput,
  subscriptionRecord,
  updateInput,
} from './schema.ts';
import { isPlanUsed } from './statements.ts';

const settings = {
  'app.subscription.retry-intervals': setting(durations, {
    default: '2d,5d,7d,7d',
    description:
      'The retry schedule of failed subscription payments: the wait after each failure. After the last retry fails, the ' +
      'subscription is cancelled.',
  }),
};

type Needs = NodeWith<SettingsOf<typeof settings>> & {
  channels: ChannelDirectory;
  creator: TransactionCreator;
  invoiceFollowers: InvoiceFollowers;
  testClocks: TestClocks;
  planUsages: PlanUsages;
};
type Provided = ReturnType<typeof provide>;

/** Recurring payments for a plan: billing periods, renewal, proration and dunning. */
export const subscriptions = defineModule({
  name: 'subscriptions',
  tables: ['subscription', 'subscription_period', 'subscription_line', 'subscription_charge'],
  settings,
  eventTypes: {
    'subscription.created': 'subscription_read',
    'subscription.updated': 'subscription_read',
    'subscription.cancelled': 'subscription_read',
    'subscription.expired': 'subscription_read',
  },
  auditActions: {
    'subscription.create': 'A subscription was created.',
    'subscription.update': 'A subscription was changed.',
    'subscription.pause': 'A subscription was paused.',
    'subscription.resume': 'A subscription was resumed.',
    'subscription.cancel': 'A subscription was cancelled, or will be at the end of its period.',
    'subscription.export': 'Subscriptions were exported.',
  },
  reference: [{ name: 'Subscriptions', description: 'Recurring payments for a plan.' }],
  resources: { subscription: subscriptionRecord, 'previewed invoice': previewedInvoice },
  schemas: {
    SubscriptionCreateInput: createInput,
    SubscriptionUpdateInput: updateInput,
    SubscriptionIdInput: subscriptionIdInput,
    SubscriptionCancelInput: cancelInput,
    Subscription: subscriptionRecord,
    InvoicePreview: previewedInvoice,
    SubscriptionState: state,
  },
  eventObjects: { subscription: subscriptionRecord },
  provide,
  routes: (context: Needs) => subscriptionRoutes(context),
  workers: ({ subscriptionBilling }: Provided) => [subscriptionBilling],
  integrity: subscriptionChecks,
});

function provide(needs: Needs) {
  const {
    settings,
    workerDatabase,
    clock,
    generateUuid,
    creator,
    failPoint,
    log,
    invoiceFollowers,
    testClocks,
    planUsages,
    admission,
  } = needs;
  const retryIntervalsMs = settings['app.subscription.retry-intervals'];
  const subscriptionBilling = subscriptionWorker({
    database: workerDatabase,
    clock,
    generateUuid,
    retryIntervalsMs,
    failPoint,
    creator,
    admission,
    ...failureLog(log, 'Subscription billing'),
  });
  const followerDeps = { generateUuid, retryIntervalsMs };
  invoiceFollowers.register({
    settled: (transaction, payments) => followPayments(transaction, payments, followerDeps),
    closed: (transaction, invoice) => followClosed(transaction, invoice, followerDeps),
  });
  planUsages.register(async (transaction, { tenant_id, id }) => {
    const [row] = await transaction.run(isPlanUsed, [tenant_id, id]);
    return row?.used ?? false;
  });
  testClocks.register(subscriptionTestClockWork);
  return { subscriptionBilling };
}
