import type { Module } from '../../../platform/module.ts';
import type { BillingApp } from '../app.ts';
import { financeRoutes } from './routes.ts';

/** Files for people who keep the books: payments, refunds, invoices, the ledger and taxes, as XLSX or CSV. */
export const finance = {
  name: 'finance',
  tables: [],
  reference: [
    {
      name: 'Finance files',
      description: 'Payments, refunds, invoices, the ledger and taxes as files for spreadsheets.',
    },
  ],
  auditActions: {
    'finance.export': 'The ledger or the taxes were saved as a file for finance.',
  },
  routes: financeRoutes,
} satisfies Module<BillingApp>;
