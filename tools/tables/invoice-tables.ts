import { type InvoiceStatus, invoiceStatuses, transitions } from '@florin/server/domains/billing/invoices/states.ts';
import { table } from './markdown-table.ts';

/** Generated tables about invoices. */
export const invoiceTables: Record<string, () => string> = {
  'invoice transitions': transitionsTable,
  'invoice diagram': diagram,
};

const statusChanges = invoiceStatuses.flatMap((from) =>
  Object.entries(transitions[from]).map(([to, by]) => ({ from, to: to as InvoiceStatus, by })),
);

function transitionsTable(): string {
  return table(
    ['From', 'To', 'When', 'Event'],
    [
      ['–', '`DRAFT`', 'create', '`invoice.created`'],
      ...statusChanges.map(({ from, to, by }) => [`\`${from}\``, `\`${to}\``, by, eventsOf(from, to)]),
    ],
  );
}

function eventsOf(from: InvoiceStatus, to: InvoiceStatus): string {
  if (from === 'PAID' && to === 'OPEN') return '`invoice.reopened`';
  const events = {
    DRAFT: [],
    OPEN: ['`invoice.finalized`'],
    PAID: ['`invoice.paid`'],
    VOID: ['`invoice.voided`'],
    UNCOLLECTIBLE: ['`invoice.uncollectible`'],
  }[to];
  return (from === 'DRAFT' && to === 'PAID' ? ['`invoice.finalized`', ...events] : events).join(', ');
}

function diagram(): string {
  const ends = invoiceStatuses.filter((status) => Object.keys(transitions[status]).length === 0);
  return [
    '```mermaid',
    'stateDiagram-v2',
    '  [*] --> DRAFT: create',
    ...statusChanges.map(({ from, to, by }) => `  ${from} --> ${to}: ${by}`),
    ...ends.map((end) => `  ${end} --> [*]`),
    '```',
  ].join('\n');
}
