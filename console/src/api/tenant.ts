import type { OperationName, Params, Query } from './client.ts';

/** Lists and sums that can be limited to one tenant. */
const limited = new Set([
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
  '/api/user/list',
  '/api/webhook/list',
  '/api/webhook/delivery/list',
  '/api/event/list',
  '/api/request/list',
  '/api/audit/list',
  '/api/statistics/summary',
  '/api/statistics/series',
]);

/** What is made for the chosen tenant. Changes of a record are made where the record is. */
const made = new Set<OperationName>([
  'transactions.create',
  'customers.modify',
  'channels.modify',
  'plans.modify',
  'invoices.create',
  'checkouts.create',
  'subscriptions.create',
  'webhooks.register',
  'users.modify',
]);

/** The query for the chosen tenant, where the service can limit it. */
export function inTenant(path: string, query: Query, tenantId: number | undefined): Query {
  return tenantId !== undefined && limited.has(path) ? { tenantId, ...query } : query;
}

/** The body of what is made for the chosen tenant. */
export function forTenant(name: OperationName, body: Params, tenantId: number | undefined): Params {
  const isNew = body.id === undefined && body.tenantId === undefined;
  return tenantId && isNew && made.has(name) ? { ...body, tenantId } : body;
}
