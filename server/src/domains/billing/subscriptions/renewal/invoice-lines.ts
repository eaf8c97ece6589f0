/** Further changes are summed up in one line, since nobody reads more. */
const maxChangeLines = 100;

/** A line of an invoice, before tax. */
export interface Line {
  description: string;
  quantity: number;
  unitAmount: number;
}

/**
 * The lines of an invoice: that of the period that begins, if one does, and the pending credits and charges. A credit reduces
 * the total to 0 at most; the rest of it is carried to the next invoice.
 */
export function invoiceLinesOf(
  period: Line | undefined,
  pending: readonly { description: string; amount: number }[],
): { lines: Line[]; carried: number } {
  const changes = pending.length > maxChangeLines ? summarized(pending) : pending;
  const lines = [
    ...(period === undefined ? [] : [period]),
    ...changes.map(({ description, amount }) => ({ description, quantity: 1, unitAmount: amount })),
  ];
  const total = lines.reduce((sum, { quantity, unitAmount }) => sum + quantity * unitAmount, 0);
  if (total >= 0) return { lines, carried: 0 };
  lines.push({ description: 'Credit carried to the next invoice', quantity: 1, unitAmount: -total });
  return { lines, carried: total };
}

function summarized(pending: readonly { description: string; amount: number }[]) {
  const first = pending.slice(0, maxChangeLines - 1);
  const rest = pending.slice(maxChangeLines - 1);
  const amount = rest.reduce((sum, line) => sum + line.amount, 0);
  return [...first, { description: `${rest.length} further changes`, amount }];
}
