import { Type } from 'typebox';
import { pagingOf } from '../../../platform/http/list-query.ts';
import type { Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import { exportText, exportTypes } from '../../../platform/lists/export.ts';
import type { PaymentsApp } from '../app.ts';
import { createRefund } from './create.ts';
import { listRefunds } from './list.ts';
import { readRefund } from './read.ts';
import { listedRefund, refundInput, refundListQuery, refundQuery, refundRecord } from './schema.ts';

const { get, postOnce } = routesFor<PaymentsApp>();

export const refundRoutes: readonly Route<PaymentsApp>[] = [
  postOnce('/api/refund/create', 'transaction_refund', 'Refunds', {
    summary: 'Refund a transaction',
    events: 3,
    description:
      'Refunds a payment in full or in part. The sum of refunds never exceeds the payment. If the channel has a ' +
      'provider, the refund is PENDING until the provider reports its result; otherwise it is recorded as SUCCESS.',
    body: refundInput,
    refuses: ['not_refundable', 'refund_exceeds_payment', 'payment_disputed', 'channel_cannot', 'step_up_required'],
    data: refundRecord,
    message: 'Refund created',
    handle: createRefund,
  }),

  get('/api/refund/detail', 'transaction_read', 'Refunds', {
    summary: 'Get a refund',
    query: refundQuery,
    data: refundRecord,
    handle: async ({ query, principal }, app) => ({ data: await readRefund(app.database, query.id, principal) }),
  }),

  get('/api/refund/list', 'transaction_read', 'Refunds', {
    summary: 'List refunds',
    description:
      `Newest first. ${pagingOf('refunds', ['userId', 'currency', 'amountFrom', 'amountTo', 'metadata'])} ` +
      `${exportText}`,
    query: refundListQuery,
    data: Type.Array(listedRefund),
    paged: 'by_page_or_cursor',
    exportTypes,
    handle: listRefunds,
  }),
];
