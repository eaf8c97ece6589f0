import type { OperationName, Params, Query } from './client.ts';
import { pathsWithMode } from './mode.ts';

/** Lists, sums and files that can be limited to one tenant. */
const limited = new Set([...pathsWithMode, '/api/user/list', '/api/request/list', '/api/audit/list']);

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
