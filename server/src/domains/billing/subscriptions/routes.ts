import { Type } from 'typebox';
import { notFound } from '../../../core/errors.ts';
import { idempotencyHeaders, idempotencyKeyOf, replayedHeader } from '../../../platform/http/idempotency.ts';
import { get, post, type Route } from '../../../platform/http/route.ts';
import { tenantsSeen } from '../../identity/tenants/visible-tenants.ts';
import { cancelSubscription } from './cancel.ts';
import { createSubscription, type SubscriptionReply } from './create.ts';
import { readSubscriptionPage } from './list.ts';
import { pauseSubscription, resumeSubscription } from './pause.ts';
import type { SubscriptionDeps } from './payer.ts';
import { previewInvoice } from './preview.ts';
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
  updateInput,
} from './schema.ts';
import { findSubscription } from './statements.ts';
import { updateSubscription } from './update.ts';

export function subscriptionRoutes(deps: SubscriptionDeps): Route[] {
  return [
    post('/api/subscription/create', 'subscription_write', 'Subscriptions', {
      summary: 'Subscribe a customer to a plan',
      description:
        'Without a trial the first period begins now and is invoiced at once; its payment follows by itself. With an ' +
        '`Idempotency-Key` a repeat gets the first answer again.',
      headers: idempotencyHeaders,
      body: createInput,
      data: subscriptionRecord,
      handle: async ({ body, principal, headers }) =>
        replyOf('Subscription created', await createSubscription(body, principal, deps, idempotencyKeyOf(headers))),
    }),

    post('/api/subscription/update', 'subscription_write', 'Subscriptions', {
      summary: 'Change a subscription',
      description:
        'Its plan and quantity, with what the rest of the period comes to; its end; its channel; its metadata, as a whole.',
      headers: idempotencyHeaders,
      body: updateInput,
      data: subscriptionRecord,
      handle: async ({ body, principal, headers }) =>
        replyOf('Subscription updated', await updateSubscription(body, principal, deps, idempotencyKeyOf(headers))),
    }),

    post('/api/subscription/pause', 'subscription_write', 'Subscriptions', {
      summary: 'Pause a subscription',
      description: 'No further period begins until it is resumed. What has been paid for stays paid for.',
      headers: idempotencyHeaders,
      body: subscriptionIdInput,
      data: subscriptionRecord,
      handle: async ({ body, principal, headers }) =>
        replyOf('Subscription paused', await pauseSubscription(body, principal, deps, idempotencyKeyOf(headers))),
    }),

    post('/api/subscription/resume', 'subscription_write', 'Subscriptions', {
      summary: 'Resume a subscription',
      description:
        'Within the period that was paid for it goes on as before; after it, a period begins now, and all are counted from now.',
      headers: idempotencyHeaders,
      body: subscriptionIdInput,
      data: subscriptionRecord,
      handle: async ({ body, principal, headers }) =>
        replyOf('Subscription resumed', await resumeSubscription(body, principal, deps, idempotencyKeyOf(headers))),
    }),

    post('/api/subscription/cancel', 'subscription_write', 'Subscriptions', {
      summary: 'Cancel a subscription',
      description: 'At once, or when its period ends. Nothing is given back by itself; for that there are refunds.',
      headers: idempotencyHeaders,
      body: cancelInput,
      data: subscriptionRecord,
      handle: async ({ body, principal, headers }) =>
        replyOf('Subscription cancelled', await cancelSubscription(body, principal, deps, idempotencyKeyOf(headers))),
    }),

    get('/api/subscription/preview', 'subscription_read', 'Subscriptions', {
      summary: 'Preview the invoice that is coming',
      description: 'As things stand, or as they would after a change. Nothing is written.',
      query: previewQuery,
      data: previewedInvoice,
      handle: async ({ query, principal }) => ({ data: await previewInvoice(query, principal, deps) }),
    }),

    get('/api/subscription/detail', 'subscription_read', 'Subscriptions', {
      summary: 'Look a subscription up',
      query: subscriptionQuery,
      data: subscriptionRecord,
      handle: async ({ query, principal }) => {
        const [row] = await deps.database.run(findSubscription, [
          await tenantsSeen(deps.database, principal),
          query.id,
        ]);
        if (row === undefined) throw notFound('subscription', query.id);
        return { data: recordOf(row) };
      },
    }),

    get('/api/subscription/list', 'subscription_read', 'Subscriptions', {
      summary: 'List subscriptions',
      description: 'Newest first. `total` is exact.',
      query: listQuery,
      data: Type.Array(subscriptionRecord),
      paged: true,
      handle: ({ query, principal }) => readSubscriptionPage(deps.database, query, principal),
    }),
  ];
}

function replyOf(message: string, { record, replayed }: SubscriptionReply) {
  return { message, data: record, ...(replayed && replayedHeader) };
}
