import { failureLog } from '../../../platform/jobs/failure-log.ts';
import type { Module } from '../../../platform/module.ts';
import type { BillingApp } from '../app.ts';
import { searchFiller } from './fill/worker.ts';
import { searchRoutes } from './routes.ts';
import { searchResult } from './schema.ts';

/** Search over payments, customers, invoices and subscriptions, by entries that a worker makes of them. */
export const search = {
  name: 'search',
  tables: ['search_entry', 'search_progress', 'search_due'],
  reference: [
    { name: 'Search', description: 'Finds payments, customers, invoices and subscriptions by what is known.' },
  ],
  resources: { 'search result': searchResult },
  routes: searchRoutes,
  workers: ({ workerDatabase, clock, log }) => [
    searchFiller({ database: workerDatabase, clock, ...failureLog(log, 'Filling the search') }),
  ],
} satisfies Module<BillingApp>;
