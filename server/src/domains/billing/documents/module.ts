import type { Module } from '../../../platform/module.ts';
import type { BillingApp } from '../app.ts';
import { documentRoutes } from './routes.ts';
import { settings } from './settings.ts';

/** Documents of invoices: their pages in HTML and their PDF files. */
export const documents = {
  name: 'documents',
  tables: [],
  settings,
  routes: documentRoutes,
} satisfies Module<BillingApp>;
