import { dayMs } from '../../../core/clock.ts';
import { failureLog } from '../../../platform/jobs/failure-log.ts';
import type { Module } from '../../../platform/module.ts';
import type { BillingApp } from '../app.ts';
import { subscriptionChecks } from './integrity.ts';
import { subscriptionWorker } from './renewal/worker.ts';
import { subscriptionRoutes } from './routes.ts';
import { previewedInvoice, subscriptionRecord } from './schema.ts';
import { settings } from './settings.ts';

/** Recurring payments for a plan: billing periods, renewal, proration and dunning. */
export const subscriptions = {
  name: 'subscriptions',
  tables: ['subscription', 'subscription_period', 'subscription_line', 'invoice_collection', 'collection_retry'],
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
  errors: {
    plan_inactive: 'conflict',
    subscription_fixed: 'conflict',
  },
  reference: [{ name: 'Subscriptions', description: 'Recurring payments for a plan.' }],
  resources: { subscription: subscriptionRecord, 'previewed invoice': previewedInvoice },
  eventObjects: { subscription: subscriptionRecord },
  routes: subscriptionRoutes,
  workers: (app) => [billingWorker(app)],
  integrity: subscriptionChecks,
} satisfies Module<BillingApp>;

function billingWorker(app: BillingApp) {
  return subscriptionWorker({
    ...app,
    database: app.workerDatabase,
    retryIntervalsMs: app.settings['app.subscription.retry-intervals'],
    debitNoticeMs: app.settings['app.subscription.debit-notice-days'] * dayMs,
    ...failureLog(app.log, 'Subscription billing'),
  });
}
