import { invoiceStatuses, transitions } from '../server/src/domains/billing/invoices/states.ts';
import { table } from './markdown-table.ts';

/** Generated parts about invoices. */
export const invoiceTables: Record<string, () => string> = {
  'invoice transitions': transitionsTable,
  'invoice diagram': diagram,
};

const moves = invoiceStatuses.flatMap((from) =>
  Object.entries(transitions[from]).map(([to, by]) => ({ from, to, by })),
);

function transitionsTable(): string {
  return table(
    ['From', 'To', 'When', 'Event'],
    [
      ['–', '`DRAFT`', 'create', '–'],
      ...moves.map(({ from, to, by }) => [`\`${from}\``, `\`${to}\``, by, to === 'PAID' ? '`invoice.paid`' : '–']),
    ],
  );
}

function diagram(): string {
  const ends = invoiceStatuses.filter((status) => Object.keys(transitions[status]).length === 0);
  return [
    '```mermaid',
    'stateDiagram-v2',
    '  [*] --> DRAFT: create',
    ...moves.map(({ from, to, by }) => `  ${from} --> ${to}: ${by}`),
    ...ends.map((end) => `  ${end} --> [*]`),
    '```',
  ].join('\n');
}
