import { sumsOf } from '../../../../core/price-lines.ts';

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

const creditCarriedOut = 'Credit carried to the next invoice';
const creditLeft = 'Credit left when the subscription ends';
const creditCarriedIn = 'Credit carried from the invoice before';
const roundingCarriedOut = 'Rounding carried to the next invoice';
const roundingCarriedIn = 'Rounding carried from the invoice before';

/**
 * The lines of an invoice: the line of the period that begins, if any, and the pending credits and charges. When
 * credits exceed charges, what is left of the credits is carried to the next invoice, with its tax rate. `isLast`: the
 * subscription ends with the period, so that no invoice is to be expected. The credit is kept until then, because the
 * end may still be moved.
 */
export function invoiceLinesOf(
  period: Line | undefined,
  pending: readonly ChangeLine[],
  { isLast = false } = {},
): { lines: Line[]; carried: Carried[] } {
  const changes = pending.length > maxChangeLines ? summarized(pending) : pending;
  const lines = [...(period === undefined ? [] : [period]), ...changes.map(lineOf)];
  const carried = carriedOf(sumsByRate(lines.map(changeOf)));
  return { lines: [...lines, ...carried.map((amount) => lineOf(carriedLinesOf(amount, { isLast }).out))], carried };
}

/** The lines that take a carried amount off an invoice and put it on the next one. */
export function carriedLinesOf(
  { amount, tax_rate }: Carried,
  { isLast }: { isLast: boolean },
): { out: ChangeLine; in: ChangeLine } {
  const isCredit = amount < 0;
  const out = isLast ? creditLeft : creditCarriedOut;
  return {
    out: { description: isCredit ? out : roundingCarriedOut, amount: -amount, tax_rate },
    in: { description: isCredit ? creditCarriedIn : roundingCarriedIn, amount, tax_rate },
  };
}

/** Whether credits and charges on an invoice of their own leave something to pay, with tax. */
export function isSomethingDue(changes: readonly Carried[]): boolean {
  const { subtotal, total } = balanceOf(sumsByRate(changes));
  return subtotal >= 0n && total > 0n;
}

/**
 * What is left of credits that exceed the charges. A credit returns the tax at its own rate: it reduces the charges at
 * that rate, and then those at other rates, until nothing is left to pay. Where tax makes the amounts skip a unit, so
 * that 1 would be left to pay, that unit is carried as well, untaxed.
 */
function carriedOf(sums: readonly Carried[]): Carried[] {
  if (!isNegative(sums)) return [];
  const used = sums.map((sum) => ({ ...sum, amount: Math.max(0, sum.amount) }));
  for (const [i, { amount }] of sums.entries()) {
    if (amount < 0) (used[i] as Carried).amount = 0 - mostUsable(used, i, -amount);
  }
  const left = sums.map(({ amount, tax_rate }, i) => ({ amount: amount - (used[i] as Carried).amount, tax_rate }));
  const { subtotal, total } = balanceOf(used);
  const rounding = subtotal > 0n && total === 1n ? [{ amount: 1, tax_rate: null }] : [];
  return [...left.filter(({ amount }) => amount !== 0), ...rounding];
}

/** How much of the credit at the rate of `sums[i]` an invoice can take without becoming negative. */
function mostUsable(sums: readonly Carried[], i: number, credit: number): number {
  let [usable, unusable] = [0, credit + 1];
  while (unusable - usable > 1) {
    const middle = Math.floor((usable + unusable) / 2);
    if (isNegative(sums.map((sum, k) => (k === i ? { ...sum, amount: -middle } : sum)))) unusable = middle;
    else usable = middle;
  }
  return usable;
}

/** Whether amounts add up to less than 0, with or without tax. An invoice cannot. */
function isNegative(sums: readonly Carried[]): boolean {
  const { subtotal, total } = balanceOf(sums);
  return subtotal < 0n || total < 0n;
}

function balanceOf(sums: readonly Carried[]): { subtotal: bigint; total: bigint } {
  const { subtotal, tax } = sumsOf(sums.map((sum) => lineOf({ ...sum, description: '' })));
  return { subtotal, total: subtotal + tax };
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
