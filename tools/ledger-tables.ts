import { checks } from '../server/src/app/integrity.ts';
import { accounts } from '../server/src/domains/payments/ledger/accounts.ts';
import { table } from './markdown-table.ts';

/** Tables of the ledger and of what `npm run verify` proves. */
export const ledgerTables: Record<string, () => string> = {
  'ledger accounts': () =>
    table(
      ['Account', 'What its balance says'],
      Object.entries(accounts).map(([account, meaning]) => [`\`${account}\``, meaning]),
    ),
  claims: () => checks.map(({ claim }) => `- ${claim}.`).join('\n'),
};
