import type { Query } from './query.ts';

/** Lists, sums and files that the service shows for one mode at a time: live, unless the query asks for test. */
export const pathsWithMode: ReadonlySet<string> = new Set([
  '/api/transaction/list',
  '/api/refund/list',
  '/api/discrepancy/list',
  '/api/dispute/list',
  '/api/ledger/balance',
  '/api/ledger/entries',
  '/api/customer/list',
  '/api/payment-method/list',
  '/api/checkout/list',
  '/api/invoice/list',
  '/api/invoice/summary',
  '/api/subscription/list',
  '/api/subscription/summary',
  '/api/plan/list',
  '/api/channel/list',
  '/api/webhook/list',
  '/api/webhook/delivery/list',
  '/api/event/list',
  '/api/statistics/summary',
  '/api/statistics/series',
  '/api/statistics/recent',
  '/api/search',
  '/api/finance/payments',
  '/api/finance/refunds',
  '/api/finance/invoices',
  '/api/finance/ledger',
  '/api/finance/taxes',
]);

/**
 * Adds the chosen mode to a query for which the service needs one, unless the query has a mode. Also to a query that
 * searches or names a record: without a mode the service would show live records, or both.
 */
export function inMode(path: string, query: Query, livemode: boolean): Query {
  return pathsWithMode.has(path) ? { livemode, ...query } : query;
}
