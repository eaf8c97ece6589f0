import type { Module } from '../../../platform/module.ts';
import type { BillingApp } from '../app.ts';
import { customerChecks } from './integrity.ts';
import { customerRoutes } from './routes.ts';
import { customerRecord } from './schema.ts';

/** Customers: the payers of invoices and subscriptions. */
export const customers = {
  name: 'customers',
  tables: ['customer'],
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
