import { defineModule } from '../../../platform/module.ts';
import type { Node } from '../../../platform/node.ts';
import { sealedColumn } from '../../../platform/postgres/sealed-column-statements.ts';
import type { ChannelDirectory } from '../../payments/channels/directory.ts';
import { customerChecks } from './integrity.ts';
import { paymentMethodPlace } from './payment-method.ts';
import { customerRoutes } from './routes.ts';
import { customerInput, customerRecord, listedCustomer } from './schema.ts';

/** Customers: the payers of invoices and subscriptions. */
export const customers = defineModule({
  name: 'customers',
  tables: ['customer'],
  sealed: [
    sealedColumn<{ tenant_id: number; id: number }>({
      noun: 'customers',
      table: 'customer',
      column: 'payment_method_sealed',
      plainColumn: 'payment_method',
      key: [
        ['tenant_id', 'bigint'],
        ['id', 'bigint'],
      ],
      place: ({ tenant_id, id }) => paymentMethodPlace(tenant_id, id),
    }),
  ],
  eventTypes: {
    'customer.created': 'transaction_read',
    'customer.updated': 'transaction_read',
  },
  auditActions: {
    'customer.create': 'A customer was created.',
    'customer.update': 'A customer was changed.',
    'customer.export': 'Customers were exported.',
  },
  reference: [{ name: 'Customers', description: 'The payers of invoices and subscriptions.' }],
  resources: { customer: customerRecord },
  integrity: customerChecks,
  schemas: { CustomerModifyInput: customerInput, Customer: customerRecord, CustomerListItem: listedCustomer },
  eventObjects: { customer: customerRecord },
  routes: (context: Node & { channels: ChannelDirectory; clocksOffered: boolean }) => customerRoutes(context),
});
