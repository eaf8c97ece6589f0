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

/** Operations that create records for the chosen tenant. */
const creating = new Set<OperationName>([
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

/** Adds the chosen tenant to a query that can be limited to one. */
export function inTenant(path: string, query: Query, tenantId: number | undefined): Query {
  return tenantId !== undefined && limited.has(path) ? { tenantId, ...query } : query;
}

/** Adds the chosen tenant to the body of a request that creates a record. */
export function forTenant(name: OperationName, body: Params, tenantId: number | undefined): Params {
  const isNew = body.id === undefined && body.tenantId === undefined;
  return tenantId && isNew && creating.has(name) ? { ...body, tenantId } : body;
}
