import type { Database } from '../../../../platform/postgres/database.ts';
import { inLockOrder, lockSubscriptionIds } from '../statements.ts';
import { deleteRetries, findSubscriptionsToRetry, lockRetries, retryAtOnce } from './statements.ts';

/** Requests in one transaction. */
const batchSize = 100;

/**
 * Has the failed invoices of customers with a new default method tried at once, each change once and outside of the
 * schedule, and those that waited for a method that was being set up. A worker does it, because the change of a default
 * locks the customer before the subscriptions could be locked. Returns how many requests there were.
 */
export async function retryWithNewMethods(nowMs: number, { database }: { database: Database }): Promise<number> {
  return database.transaction(async (transaction) => {
    const customers = await transaction.run(lockRetries, [batchSize]);
    if (customers.length === 0) return 0;
    const found = await transaction.run(findSubscriptionsToRetry, [
      customers.map(({ tenant_id }) => tenant_id),
      customers.map(({ customer_id }) => customer_id),
      customers.map(({ is_new_default }) => is_new_default),
    ]);
    const [tenants, ids] = inLockOrder(found);
    await transaction.run(lockSubscriptionIds, [tenants, ids]);
    const flags = new Map(found.map(({ subscription_id, is_new_default }) => [subscription_id, is_new_default]));
    await transaction.run(retryAtOnce, [tenants, ids, ids.map((id) => flags.get(id) ?? false), nowMs]);
    await transaction.run(deleteRetries, [customers.map(({ id }) => id)]);
    return customers.length;
  });
}
