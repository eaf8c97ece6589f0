import type { GenerateUuid } from '../../../core/id.ts';
import type { CustomerKey, MethodCustomers } from '../../payments/methods/customers.ts';
import { appendEvent } from '../../webhooks/events/append-events.cte.ts';
import { customerEvent } from './record.ts';
import { findCustomer, lockCustomer } from './statements.ts';

/** What payment methods need of customers. */
export function methodCustomersOf({ generateUuid }: { generateUuid: GenerateUuid }): MethodCustomers {
  return {
    async find(database, tenantIds, customerId) {
      const [row] = await database.run(findCustomer, [tenantIds, customerId]);
      if (row === undefined) return undefined;
      const { tenant_id: tenantId, id, livemode, name, email } = row;
      return { tenantId, id, livemode, name, email };
    },

    async lock(transaction, { tenantId, customerId }) {
      await transaction.run(lockCustomer, [tenantId, customerId]);
    },

    // No subscription names a method yet.
    async replace() {},

    async defaultChanged(transaction, { tenantId, customerId }: CustomerKey) {
      const [row] = await transaction.run(lockCustomer, [tenantId, customerId]);
      if (row === undefined) throw new Error(`There is no customer ${customerId}.`);
      await appendEvent(transaction, customerEvent('customer.updated', row, generateUuid()));
    },
  };
}
