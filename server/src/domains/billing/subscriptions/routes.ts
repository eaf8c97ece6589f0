import { Type } from 'typebox';
import { pagingOf } from '../../../platform/http/list-query.ts';
import type { Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import { exportText, exportTypes } from '../../../platform/lists/export.ts';
import { acceptanceRefusals } from '../../payments/channels/rules.ts';
import type { BillingApp } from '../app.ts';
import { cancelSubscription } from './changes/cancel.ts';
import { pauseSubscription, resumeSubscription } from './changes/pause.ts';
import { previewInvoice } from './changes/preview.ts';
import { updateSubscription } from './changes/update.ts';
import { createSubscription } from './create.ts';
import { listSubscriptions } from './list.ts';
import { readSubscription } from './read.ts';
import { recordOf } from './record.ts';
import {
  cancelInput,
  createInput,
  listQuery,
  previewedInvoice,
  previewQuery,
  subscriptionIdInput,
  subscriptionQuery,
  subscriptionRecord,
  subscriptionSummary,
  summaryQuery,
  updateInput,
} from './schema.ts';
import { summarizeSubscriptions } from './summary.ts';

const { get, postOnce } = routesFor<BillingApp>();

export const subscriptionRoutes: readonly Route<BillingApp>[] = [
  postOnce('/api/subscription/create', 'subscription_write', 'Subscriptions', {
    summary: 'Subscribe a customer to a plan',
    events: 6,
    description:
      'Without a trial, the first billing period begins now and is invoiced at once; ' +
      'the invoice is paid automatically. With an `Idempotency-Key`, a repeated request gets the first answer.',
    body: createInput,
    refuses: ['plan_inactive', 'external_id_taken', ...acceptanceRefusals, 'payment_method_unusable'],
    data: subscriptionRecord,
    message: 'Subscription created',
    handle: createSubscription,
  }),

  postOnce('/api/subscription/update', 'subscription_write', 'Subscriptions', {
    summary: 'Change a subscription',
    events: 2,
    description:
      'Changes plan and quantity, with proration of the current period, and the end, the channel, the payment ' +
      'method and the metadata.',
    body: updateInput,
    refuses: [
      'plan_inactive',
      'subscription_fixed',
      'illegal_transition',
      ...acceptanceRefusals,
      'payment_method_unusable',
    ],
    data: subscriptionRecord,
    message: 'Subscription updated',
    handle: updateSubscription,
  }),

  postOnce('/api/subscription/pause', 'subscription_write', 'Subscriptions', {
    summary: 'Pause a subscription',
    events: 1,
    description:
      'No further billing period begins until the subscription is resumed. The current period is not refunded. ' +
      'Refused while `cancelAtPeriodEnd` is set.',
    body: subscriptionIdInput,
    refuses: ['illegal_transition', 'subscription_fixed'],
    data: subscriptionRecord,
    message: 'Subscription paused',
    handle: pauseSubscription,
  }),

  postOnce('/api/subscription/resume', 'subscription_write', 'Subscriptions', {
    summary: 'Resume a subscription',
    events: 6,
    description:
      'Within the paid period, the subscription continues unchanged. ' +
      'After it, a new period begins now, and all later periods are counted from now.',
    body: subscriptionIdInput,
    refuses: ['illegal_transition'],
    data: subscriptionRecord,
    message: 'Subscription resumed',
    handle: resumeSubscription,
  }),

  postOnce('/api/subscription/cancel', 'subscription_write', 'Subscriptions', {
    summary: 'Cancel a subscription',
    events: 2,
    description:
      'At once, or at the end of the current period. Nothing is refunded automatically; use refunds for that.',
    body: cancelInput,
    refuses: ['subscription_fixed', 'illegal_transition'],
    data: subscriptionRecord,
    message: 'Subscription cancelled',
    handle: ({ body, principal, idempotencyKey }, app) => cancelSubscription(body, principal, app, { idempotencyKey }),
  }),

  get('/api/subscription/preview', 'subscription_read', 'Subscriptions', {
    operationId: 'previewSubscription',
    summary: 'Preview the next invoice',
    description: 'The next invoice, optionally as it would be after a change of plan or quantity. Nothing is written.',
    query: previewQuery,
    refuses: ['plan_inactive', 'subscription_fixed', 'illegal_transition'],
    data: previewedInvoice,
    handle: async (call, app) => ({ data: await previewInvoice(call, app) }),
  }),

  get('/api/subscription/detail', 'subscription_read', 'Subscriptions', {
    summary: 'Get a subscription',
    query: subscriptionQuery,
    data: subscriptionRecord,
    handle: async ({ query, principal }, app) => ({
      data: recordOf(await readSubscription(app.database, query.id, principal)),
    }),
  }),

  get('/api/subscription/summary', 'subscription_read', 'Subscriptions', {
    summary: 'Get subscription totals',
    description:
      'What subscriptions cost in a month now, and how many began and ended on some days (UTC), by currency.',
    query: summaryQuery,
    data: subscriptionSummary,
    handle: async (call, app) => ({ data: await summarizeSubscriptions(call, app) }),
  }),

  get('/api/subscription/list', 'subscription_read', 'Subscriptions', {
    summary: 'List subscriptions',
    description: `Newest first. ${pagingOf('subscriptions', ['currency', 'metadata'])} ${exportText}`,
    query: listQuery,
    data: Type.Array(subscriptionRecord),
    paged: 'by_page_or_cursor',
    exportTypes,
    handle: listSubscriptions,
  }),
];
