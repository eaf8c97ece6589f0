import { Type } from 'typebox';
import { invalid, notFound } from '../../../core/errors.ts';
import { visibleModes } from '../../../core/livemode.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { pagingOf } from '../../../platform/http/list-query.ts';
import type { Route } from '../../../platform/http/route.ts';
import { routesFor, savedMessage } from '../../../platform/http/routes-for.ts';
import { long } from '../../../platform/http/shapes.ts';
import { exportText, exportTypes } from '../../../platform/lists/export.ts';
import { visibleTenants } from '../../identity/tenants/visible-tenants.ts';
import { acceptanceRefusals } from '../../payments/channels/rules.ts';
import type { BillingApp } from '../app.ts';
import { listCustomers } from './list.ts';
import { modifyCustomer } from './modify.ts';
import { readCustomer } from './read.ts';
import { recordOf } from './record.ts';
import {
  customerInput,
  customerListQuery,
  customerQuery,
  customerRecord,
  customerSummary,
  listedCustomer,
} from './schema.ts';
import { findByExternalId } from './statements.ts';
import { summarizeCustomer } from './summary.ts';

const { get, postOnce } = routesFor<BillingApp>();

export const customerRoutes: readonly Route<BillingApp>[] = [
  postOnce('/api/customer/modify', 'transaction_write', 'Customers', {
    summary: 'Create or update a customer',
    events: 2,
    description:
      'Without `id` a customer is created, with `id` that customer is updated. The answer is the saved record.',
    body: customerInput,
    refuses: [
      'external_id_taken',
      'clocks_not_offered',
      ...acceptanceRefusals,
      'channel_cannot',
      'setup_needs_payment',
      'payment_method_in_use',
    ],
    data: customerRecord,
    message: savedMessage('Customer'),
    handle: modifyCustomer,
  }),

  get('/api/customer/detail', 'transaction_read', 'Customers', {
    summary: 'Get a customer',
    description: 'By its `id` or by its `externalId`.',
    query: customerQuery,
    refuses: ['record_not_found'],
    data: customerRecord,
    handle: async ({ query: { id, externalId }, principal }, app) => {
      if ((id === undefined) === (externalId === undefined)) {
        throw invalid('id', rule('customer_by_one'));
      }
      if (id !== undefined) return { data: recordOf(await readCustomer(app.database, id, principal)) };
      const tenants = await visibleTenants(app.database, principal);
      const [row] = await app.database.run(findByExternalId, [
        tenants,
        externalId,
        visibleModes(principal, undefined, { namesRecord: true }),
      ]);
      if (row === undefined) throw notFound('customer', externalId as string, 'externalId');
      return { data: recordOf(row) };
    },
  }),

  get('/api/customer/summary', 'transaction_read', 'Customers', {
    summary: 'Get what a customer has paid',
    description: 'Of all payments of the customer that took money, by currency.',
    query: Type.Object({ id: long('The customer.') }),
    refuses: ['record_not_found'],
    data: customerSummary,
    handle: async (call, app) => ({ data: await summarizeCustomer(call, app) }),
  }),

  get('/api/customer/list', 'transaction_read', 'Customers', {
    summary: 'List customers',
    description: `Newest first. ${pagingOf('customers', ['name', 'metadata'])} ${exportText}`,
    query: customerListQuery,
    data: Type.Array(listedCustomer),
    paged: 'by_page_or_cursor',
    exportTypes,
    handle: listCustomers,
  }),
];
