import type { Query } from './client.ts';

/** Lists and sums that the service shows for one mode at a time: live, unless the query asks for test. */
export const pathsWithMode: ReadonlySet<string> = new Set([
  '/api/transaction/list',
  '/api/refund/list',
  '/api/discrepancy/list',
  '/api/ledger/balance',
  '/api/ledger/entries',
  '/api/customer/list',
  '/api/checkout/list',
  '/api/invoice/list',
  '/api/subscription/list',
  '/api/plan/list',
  '/api/channel/list',
  '/api/webhook/list',
  '/api/webhook/delivery/list',
  '/api/event/list',
  '/api/statistics/summary',
  '/api/statistics/series',
]);

/** Parameters that name a record. The result then has the mode of that record. */
const recordParameters = [
  'objectId',
  'eventId',
  'transactionId',
  'customerId',
  'subscriptionId',
  'invoiceId',
  'endpointId',
  'search',
];

/** Adds the chosen mode to a query for which the service needs one, unless the query has a mode. */
export function inMode(path: string, query: Query, livemode: boolean): Query {
  const namesRecord = recordParameters.some((name) => query[name] !== undefined && query[name] !== '');
  return pathsWithMode.has(path) && !namesRecord ? { livemode, ...query } : query;
}
