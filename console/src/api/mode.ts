import type { Query } from './client.ts';

/** Lists and sums that the service shows for one mode at a time: live, unless the query asks for test. */
const moded = new Set([
  '/api/transaction/list',
  '/api/refund/list',
  '/api/dispute/list',
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

/** A query that names a record shows that record's mode. */
const naming = [
  'objectId',
  'eventId',
  'transactionId',
  'customerId',
  'subscriptionId',
  'invoiceId',
  'endpointId',
  'search',
];

/** The query in the chosen mode, where the mode decides what is shown and the query does not say itself. */
export function inMode(path: string, query: Query, livemode: boolean): Query {
  const namesRecord = naming.some((name) => query[name] !== undefined && query[name] !== '');
  return moded.has(path) && !namesRecord ? { livemode, ...query } : query;
}
