import { checks, findings, keyedChecks } from '@florin/server/app/integrity.ts';
import { accounts } from '@florin/server/domains/payments/ledger/accounts.ts';
import { table } from './markdown-table.ts';

/** Accounts of the ledger, and what `npm run verify` checks and names. */
export const ledgerTables: Record<string, () => string> = {
  'ledger accounts': () =>
    table(
      ['Account', 'Meaning of its balance'],
      Object.entries(accounts).map(([account, meaning]) => [`\`${account}\``, meaning]),
    ),
  claims: () => checks.map(({ claim }) => `- ${claim}.`).join('\n'),
  'keyed claims': () => keyedChecks.map(({ claim }) => `- ${claim}.`).join('\n'),
  findings: () => findings.map(({ finding }) => `- ${finding}.`).join('\n'),
};
