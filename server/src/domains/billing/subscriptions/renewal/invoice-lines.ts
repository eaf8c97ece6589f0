import { sumsOf } from '../../invoices/issue/price-lines.ts';

/** More changes than this are summed up in one line per tax rate: nobody reads more lines. */
const maxChangeLines = 100;

/** A line of an invoice, before tax. */
export interface Line {
  description: string;
  quantity: number;
  unitAmount: number;
  /** In basis points; undefined: untaxed. */
  taxRate?: number | undefined;
}

/** A credit (negative) or charge that is not on an invoice yet, before tax. */
export interface ChangeLine {
  description: string;
  amount: number;
  /** In basis points; null: untaxed. */
  tax_rate: number | null;
}

/** An amount that is carried to the next invoice, before tax. */
export type Carried = Omit<ChangeLine, 'description'>;

export const carriedOut = 'Credit carried to the next invoice';

/**
 * The lines of an invoice: the line of the period that begins, if any, and the pending credits and charges. When credits
 * exceed charges, the invoice has a total of 0 and the difference is carried to the next one, separately for each tax rate,
 * because a credit also returns the tax that was charged at its rate. With a single rate, that is the rest of the credit.
 */
export function invoiceLinesOf(
  period: Line | undefined,
  pending: readonly ChangeLine[],
): { lines: Line[]; carried: Carried[] } {
  const changes = pending.length > maxChangeLines ? summarized(pending) : pending;
  const lines = [...(period === undefined ? [] : [period]), ...changes.map(lineOf)];
  if (!isNegative(lines)) return { lines, carried: [] };
  const carried = sumsByRate(lines.map(changeOf)).filter(({ amount }) => amount !== 0);
  const taken = carried.map(({ amount, tax_rate }) => lineOf({ description: carriedOut, amount: -amount, tax_rate }));
  return { lines: [...lines, ...taken], carried };
}

/** Whether the lines add up to less than 0, with or without tax. An invoice cannot. */
function isNegative(lines: readonly Line[]): boolean {
  const { subtotal, tax } = sumsOf(lines);
  return subtotal < 0n || subtotal + tax < 0n;
}

function lineOf({ description, amount, tax_rate }: ChangeLine): Line {
  const line = { description, quantity: 1, unitAmount: amount };
  return tax_rate === null ? line : { ...line, taxRate: tax_rate };
}

const changeOf = ({ quantity, unitAmount, taxRate }: Line): Carried => ({
  amount: quantity * unitAmount,
  tax_rate: taxRate ?? null,
});

function sumsByRate(changes: readonly Carried[]): Carried[] {
  const sums = new Map<number | null, number>();
  for (const { amount, tax_rate } of changes) sums.set(tax_rate, (sums.get(tax_rate) ?? 0) + amount);
  return [...sums].map(([tax_rate, amount]) => ({ amount, tax_rate }));
}

function summarized(pending: readonly ChangeLine[]): ChangeLine[] {
  const first = pending.slice(0, maxChangeLines - 1);
  const rest = pending.slice(maxChangeLines - 1);
  const description = `${rest.length} further changes`;
  return [...first, ...sumsByRate(rest).map((sum) => ({ description, ...sum }))];
}
