import { Type } from 'typebox';
import { pagingOf } from '../../../platform/http/list-query.ts';
import type { Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import { acceptanceRefusals } from '../../payments/channels/rules.ts';
import type { BillingApp } from '../app.ts';
import { createCheckout } from './create.ts';
import { expireCheckout } from './expire.ts';
import { listCheckouts } from './list.ts';
import { createPortal } from './portal/create.ts';
import { readCheckout } from './read.ts';
import { recordFor } from './record.ts';
import {
  checkoutInput,
  checkoutListQuery,
  checkoutQuery,
  checkoutRecord,
  checkoutRow,
  expireInput,
  portalInput,
  portalRecord,
} from './schema.ts';

const { get, post, postOnce } = routesFor<BillingApp>();

export const checkoutRoutes: readonly Route<BillingApp>[] = [
  postOnce('/api/checkout/create', 'transaction_write', 'Checkouts', {
    summary: 'Create a checkout',
    description:
      'Creates a page on which a payer pays an amount or an invoice, and returns its URL. ' +
      'The payer chooses a channel; the payment is created in the name of the user who created the checkout, ' +
      'and its events are sent as usual.',
    body: checkoutInput,
    refuses: ['scope_missing', ...acceptanceRefusals, 'channel_cannot', 'invoice_not_payable'],
    data: checkoutRecord,
    message: 'Checkout created',
    handle: createCheckout,
  }),

  get('/api/checkout/detail', 'transaction_read', 'Checkouts', {
    summary: 'Get a checkout',
    query: checkoutQuery,
    data: checkoutRecord,
    handle: async ({ query, principal }, app) => ({
      data: recordFor(principal, await readCheckout(app.database, query.id, principal), app.clock(), app),
    }),
  }),

  get('/api/checkout/list', 'transaction_read', 'Checkouts', {
    summary: 'List checkouts',
    description: `Newest first. ${pagingOf('checkouts', ['status'])}`,
    query: checkoutListQuery,
    data: Type.Array(checkoutRow),
    paged: 'by_page_or_cursor',
    handle: listCheckouts,
  }),

  post('/api/checkout/expire', 'transaction_write', 'Checkouts', {
    summary: 'Close a checkout',
    description:
      'The page is no longer shown. Refused while a payment is in progress, and when it is paid. ' +
      'Closing it twice is no error.',
    body: expireInput,
    refuses: ['illegal_transition'],
    data: checkoutRecord,
    message: 'Checkout expired',
    handle: async (call, app) => ({ data: await expireCheckout(call, app) }),
  }),

  post('/api/customer/portal', 'transaction_write', 'Customers', {
    operationId: 'createCustomerPortal',
    summary: 'Create a link to the customer portal',
    description:
      'Returns the URL of a page on which the customer can see and pay invoices and cancel subscriptions at the ' +
      'end of their period. It works for one hour. Also needs the scopes `invoice_read` and ' +
      '`subscription_write`, because the link allows these actions.',
    body: portalInput,
    refuses: ['scope_missing'],
    data: portalRecord,
    message: 'Portal created',
    handle: async (call, app) => ({ data: await createPortal(call, app) }),
  }),
];
