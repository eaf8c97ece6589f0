import type { Queryable } from '../../../platform/postgres/database.ts';
import { changeMethod } from '../methods/change.ts';
import { lockedMethod } from '../methods/read.ts';
import type { ProviderDispute } from '../providers/dispute.ts';
import type { PaymentRow } from '../transactions/record.ts';
import type { ApplyDeps } from './apply-deps.ts';

/** Customers are locked before their payments. */
export async function lockCustomerOfMethod(
  transaction: Queryable,
  { tenant_id: tenantId, customer_id: customerId, method_id }: PaymentRow,
  { methodFailure }: ProviderDispute,
  { methodCustomers }: ApplyDeps,
): Promise<void> {
  if (methodFailure === undefined || method_id === null || customerId === null) return;
  await methodCustomers.lock(transaction, { tenantId, customerId });
}

/** A method whose debit was not authorized, or whose account is closed, is REVOKED. Its customer is locked. */
export async function endMethod(
  transaction: Queryable,
  { tenant_id, customer_id, method_id }: PaymentRow,
  { methodFailure }: ProviderDispute,
  deps: ApplyDeps,
): Promise<void> {
  if (methodFailure === undefined || method_id === null || customer_id === null) return;
  const method = await lockedMethod(transaction, { tenant_id, id: method_id });
  if (method.status !== 'ACTIVE' && method.status !== 'EXPIRED') return;
  await changeMethod(transaction, method, { status: 'REVOKED', failure_code: methodFailure }, deps);
}
