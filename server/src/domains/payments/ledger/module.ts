import { defineModule } from '../../../platform/module.ts';
import type { Node } from '../../../platform/node.ts';
import { ledgerChecks } from './integrity.ts';
import { ledgerRoutes } from './routes.ts';
import { account, accountBalance, entry } from './schema.ts';

/** Double-entry bookkeeping of payments and refunds. */
export const ledger = defineModule({
  name: 'ledger',
  tables: ['ledger_transfer', 'ledger_total', 'ledger_total_delta'],
  reference: [{ name: 'Ledger', description: 'Double-entry bookkeeping of payments and refunds.' }],
  resources: { 'account balance': accountBalance, 'ledger entry': entry },
  schemas: { AccountBalance: accountBalance, LedgerEntry: entry, LedgerAccount: account },
  routes: (node: Node) => ledgerRoutes(node),
  integrity: ledgerChecks,
});
