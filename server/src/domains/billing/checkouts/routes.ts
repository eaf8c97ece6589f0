import { Type } from 'typebox';
import { postOnce } from '../../../platform/http/idempotency.ts';
import { pagingOf } from '../../../platform/http/list-query.ts';
import { get, post, type Route } from '../../../platform/http/route.ts';
import type { ListDeps } from '../../../platform/lists/list.ts';
import { acceptanceRefusals } from '../../payments/channels/rules.ts';
import { type CheckoutDeps, createCheckout } from './create.ts';
import { expireCheckout } from './expire.ts';
import { listCheckouts } from './list.ts';
import { createPortal, type PortalDeps } from './portal/create.ts';
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

export function checkoutRoutes(deps: CheckoutDeps & ListDeps & PortalDeps): Route[] {
  return [
    postOnce('/api/checkout/create', 'transaction_write', 'Checkouts', {
      summary: 'Create a checkout',
      description:
        'Creates a page on which a payer pays an amount or an invoice, and returns its URL. The payer chooses a channel; ' +
        'the payment is created in the name of the user who created the checkout, and its events are sent as usual.',
      body: checkoutInput,
      refuses: ['scope_missing', ...acceptanceRefusals, 'invoice_not_payable'],
      data: checkoutRecord,
      message: 'Checkout created',
      perform: ({ body, principal }, key) => createCheckout(body, principal, deps, key),
    }),

    get('/api/checkout/detail', 'transaction_read', 'Checkouts', {
      summary: 'Get a checkout',
      query: checkoutQuery,
      data: checkoutRecord,
      handle: async ({ query, principal }) => ({
        data: recordFor(principal, await readCheckout(deps.database, query.id, principal), deps.clock(), deps),
      }),
    }),

    get('/api/checkout/list', 'transaction_read', 'Checkouts', {
      summary: 'List checkouts',
      description: `Newest first. ${pagingOf('checkouts', ['status'])}`,
      query: checkoutListQuery,
      data: Type.Array(checkoutRow),
      paged: 'by_page_or_cursor',
      handle: (call) => listCheckouts(call, deps),
    }),

    post('/api/checkout/expire', 'transaction_write', 'Checkouts', {
      summary: 'Close a checkout',
      description:
        'The page is no longer shown. Refused while a payment is in progress, and when it is paid. Closing it twice is no ' +
        'error.',
      body: expireInput,
      refuses: ['illegal_transition'],
      data: checkoutRecord,
      handle: async ({ body, principal }) => ({
        message: 'Checkout expired',
        data: await expireCheckout(body.id, principal, deps),
      }),
    }),

    post('/api/customer/portal', 'transaction_write', 'Customers', {
      operationId: 'createCustomerPortal',
      summary: 'Create a link to the customer portal',
      description:
        'Returns the URL of a page on which the customer can see and pay invoices and cancel subscriptions at the end of ' +
        'their period. It works for one hour. Also needs the scopes `invoice_read` and `subscription_write`, because the ' +
        'link allows these actions.',
      body: portalInput,
      refuses: ['scope_missing'],
      data: portalRecord,
      handle: async ({ body, principal }) => ({
        message: 'Portal created',
        data: await createPortal(body, principal, deps),
      }),
    }),
  ];
}
