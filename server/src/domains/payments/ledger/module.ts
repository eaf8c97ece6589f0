import type { Module } from '../../../platform/module.ts';
import type { PaymentsApp } from '../app.ts';
import { ledgerChecks } from './integrity.ts';
import { ledgerRoutes } from './routes.ts';
import { accountBalance, entry } from './schema.ts';

/** Double-entry bookkeeping of payments and refunds. */
export const ledger = {
  name: 'ledger',
  tables: ['ledger_transfer', 'ledger_total', 'ledger_total_delta'],
  reference: [{ name: 'Ledger', description: 'Double-entry bookkeeping of payments and refunds.' }],
  resources: { 'account balance': accountBalance, 'ledger entry': entry },
  routes: ledgerRoutes,
  integrity: ledgerChecks,
} satisfies Module<PaymentsApp>;
