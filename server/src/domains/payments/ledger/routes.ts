import { Type } from 'typebox';
import { get, type Route } from '../../../platform/http/route.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { balancesOf } from './balance.ts';
import { entriesOf } from './entries.ts';
import { accountBalance, balanceQuery, entriesQuery, entry } from './schema.ts';

export function ledgerRoutes({ database }: { database: Database }): Route[] {
  return [
    get('/api/ledger/balance', 'transaction_read', 'Ledger', {
      operationId: 'listLedgerBalances',
      summary: 'Read balances',
      description: 'Returns the balance of every account in every currency that has entries. Always exact.',
      query: balanceQuery,
      data: Type.Array(accountBalance),
      handle: async ({ query, principal }) => ({ data: await balancesOf(database, query, principal) }),
    }),

    get('/api/ledger/entries', 'transaction_read', 'Ledger', {
      operationId: 'listLedgerEntries',
      summary: 'List entries',
      description: 'Newest first. Each transfer has two entries: its debit and its credit. `total` is exact.',
      query: entriesQuery,
      data: Type.Array(entry),
      paged: true,
      handle: ({ query, principal }) => entriesOf(database, query, principal),
    }),
  ];
}
