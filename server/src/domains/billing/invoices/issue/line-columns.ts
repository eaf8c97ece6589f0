import type { PricedLine } from '../../../../core/price-lines.ts';
import { columns } from '../../../../platform/postgres/columns.ts';

/** A line with its number on the invoice, from 1. */
export type NumberedLine = PricedLine & { number: number };

export function numbered(lines: readonly PricedLine[]): NumberedLine[] {
  return lines.map((line, i) => ({ ...line, number: i + 1 }));
}

export const lineColumns = columns<NumberedLine>([
  ['number', 'smallint', ({ number }) => number],
  ['description', 'text', ({ description }) => description],
  ['quantity', 'bigint', ({ quantity }) => quantity],
  ['unit_amount', 'bigint', ({ unitAmount }) => unitAmount],
  ['amount', 'bigint', ({ amount }) => amount],
  ['tax_rate', 'int', ({ taxRate }) => taxRate],
  ['tax_amount', 'bigint', ({ taxAmount }) => taxAmount],
]);
