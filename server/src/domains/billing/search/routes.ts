import type { Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import type { BillingApp } from '../app.ts';
import { searchQuery, searchResult } from './schema.ts';
import { search } from './search.ts';

const { get } = routesFor<BillingApp>();

export const searchRoutes: readonly Route<BillingApp>[] = [
  get('/api/search', 'caller', 'Search', {
    operationId: 'searchRecords',
    summary: 'Search payments, customers, invoices and subscriptions',
    description:
      'Finds the newest 20 of each kind: by words of a description and by values of metadata, by the name or mail ' +
      'address of the customer, by an amount as people write it (`19.99`, `1.000,50 EUR`), by an id or the last four ' +
      "to eight characters of a payment's id, by the number of an invoice, by the provider's reference, and by the " +
      'last four digits of a kept card. Of each kind only with the scope to read it. Follows changes within about ' +
      'five seconds.',
    query: searchQuery,
    data: searchResult,
    handle: async (call, app) => ({ data: await search(call, app) }),
  }),
];
