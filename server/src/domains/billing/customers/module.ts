import type { Module } from '../../../platform/module.ts';
import { sealedColumn } from '../../../platform/postgres/sealed-column-statements.ts';
import type { BillingApp } from '../app.ts';
import { customerChecks } from './integrity.ts';
import { paymentMethodAssociatedData } from './payment-method.ts';
import { customerRoutes } from './routes.ts';
import { customerRecord } from './schema.ts';

/** Customers: the payers of invoices and subscriptions. */
export const customers = {
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
      associatedData: ({ tenant_id, id }) => paymentMethodAssociatedData(tenant_id, id),
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
  errors: {
    clocks_not_offered: 'forbidden',
    external_id_taken: 'conflict',
  },
  reference: [{ name: 'Customers', description: 'The payers of invoices and subscriptions.' }],
  resources: { customer: customerRecord },
  integrity: customerChecks,
  eventObjects: { customer: customerRecord },
  routes: customerRoutes,
} satisfies Module<BillingApp>;
