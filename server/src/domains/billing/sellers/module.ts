import type { Module } from '../../../platform/module.ts';
import type { BillingApp } from '../app.ts';
import { sellerRoutes } from './routes.ts';
import { sellerRecord } from './schema.ts';

/** Sellers: tenants as their payers and customers see them, with address, logo, colour and texts of mails. */
export const sellers = {
  name: 'sellers',
  tables: ['seller'],
  resources: { seller: sellerRecord },
  routes: sellerRoutes,
} satisfies Module<BillingApp>;
