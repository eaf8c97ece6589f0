import type { GenerateUuid } from '../../../core/id.ts';
import type { CustomerKey, MethodCustomers } from '../../payments/methods/customers.ts';
import { appendEvent } from '../../webhooks/events/append-events.cte.ts';
import { customerEvent } from './record.ts';
import { findCustomer, lockCustomer } from './statements.ts';

/** What subscriptions do when payment methods change: the part of `MethodCustomers` that is theirs. */
export type SubscriptionMethods = Pick<MethodCustomers, 'replace' | 'setupAnswered' | 'defaultChanged'>;

/** What payment methods need of customers. */
export function methodCustomersOf({
  generateUuid,
  subscriptionMethods,
}: {
  generateUuid: GenerateUuid;
  subscriptionMethods: SubscriptionMethods;
}): MethodCustomers {
  return {
    async find(database, tenantIds, customerId) {
      const [row] = await database.run(findCustomer, [tenantIds, customerId]);
      if (row === undefined) return undefined;
      const { tenant_id: tenantId, id, livemode, name, email, clock_now } = row;
      const nowMs = clock_now === null ? null : Date.parse(clock_now);
      return { tenantId, id, livemode, name, email, nowMs };
    },

    async lock(transaction, { tenantId, customerId }) {
      await transaction.run(lockCustomer, [tenantId, customerId]);
    },

    replace: (transaction, method, other) => subscriptionMethods.replace(transaction, method, other),

    setupAnswered: (transaction, customer) => subscriptionMethods.setupAnswered(transaction, customer),

    async defaultChanged(transaction, { tenantId, customerId }: CustomerKey) {
      const [row] = await transaction.run(lockCustomer, [tenantId, customerId]);
      if (row === undefined) throw new Error(`There is no customer ${customerId}.`);
      await appendEvent(transaction, customerEvent('customer.updated', row, generateUuid()));
      if (row.default_method_id !== null)
        await subscriptionMethods.defaultChanged(transaction, { tenantId, customerId });
    },
  };
}
