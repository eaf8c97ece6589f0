import { Type } from 'typebox';
import type { Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import type { PaymentsApp } from '../app.ts';
import { balancesOf } from './balance.ts';
import { entriesOf } from './entries.ts';
import { accountBalance, balanceQuery, entriesQuery, entry } from './schema.ts';

const { get } = routesFor<PaymentsApp>();

export const ledgerRoutes: readonly Route<PaymentsApp>[] = [
  get('/api/ledger/balance', 'transaction_read', 'Ledger', {
    operationId: 'listLedgerBalances',
    summary: 'Read balances',
    description: 'Returns the balance of every account in every currency that has entries. Always exact.',
    query: balanceQuery,
    data: Type.Array(accountBalance),
    handle: async ({ query, principal }, app) => ({ data: await balancesOf(app.database, query, principal) }),
  }),

  get('/api/ledger/entries', 'transaction_read', 'Ledger', {
    operationId: 'listLedgerEntries',
    summary: 'List entries',
    description: 'Newest first. Each transfer has two entries: its debit and its credit. `total` is exact.',
    query: entriesQuery,
    data: Type.Array(entry),
    paged: true,
    handle: ({ query, principal }, app) => entriesOf(app.database, query, principal),
  }),
];
