import { checks } from '../../server/src/app/integrity.ts';
import { accounts } from '../../server/src/domains/payments/ledger/accounts.ts';
import { table } from './markdown-table.ts';

/** Accounts of the ledger, and the claims that `npm run verify` checks. */
export const ledgerTables: Record<string, () => string> = {
  'ledger accounts': () =>
    table(
      ['Account', 'Meaning of its balance'],
      Object.entries(accounts).map(([account, meaning]) => [`\`${account}\``, meaning]),
    ),
  claims: () => checks.map(({ claim }) => `- ${claim}.`).join('\n'),
};
