import { maximumAmount } from './currency.ts';
import { invalid } from './errors.ts';
import { apportion } from './money.ts';
import { rule } from './refusal-rules.ts';

/**
 * An invoice line as requested. A negative `unitAmount` is a credit. `taxRate` is in basis points; `taxAmount` in minor
 * units.
 */
export interface LineInput {
  description: string;
  quantity: number;
  unitAmount: number;
  taxRate?: number | undefined;
  taxAmount?: number | undefined;
}

export interface PricedLine {
  description: string;
  quantity: number;
  unitAmount: number;
  amount: number;
  taxRate: number | null;
  taxAmount: number;
}

export interface PricedLines {
  lines: PricedLine[];
  subtotal: number;
  tax: number;
  total: number;
}

const basisPoints = 10_000n;

/**
 * Calculates the amount and tax of each line, and totals that are exactly the sums of the lines. The tax of a rate is
 * calculated once, on the sum of the lines with that rate, rounded half away from zero, and apportioned to those lines
 * by largest remainder. Negated lines have the negated amounts and taxes. Throws `invalid_request` when a sum is
 * negative or exceeds 9007199254740991 minor units.
 */
export function priceLines(lines: readonly LineInput[]): PricedLines {
  const { amounts, taxes, subtotal, tax } = sumsOf(lines);
  if (![...amounts, subtotal, subtotal + tax].every(isSafeAmount))
    throw invalid('lines', rule('lines_too_much', { limit: maximumAmount }));
  if (subtotal < 0n || subtotal + tax < 0n) throw invalid('lines', rule('lines_below_zero'));
  return {
    lines: lines.map(({ description, quantity, unitAmount, taxRate }, i) => ({
      description,
      quantity,
      unitAmount,
      amount: Number(amounts[i]),
      taxRate: taxRate ?? null,
      taxAmount: Number(taxes[i]),
    })),
    subtotal: Number(subtotal),
    tax: Number(tax),
    total: Number(subtotal + tax),
  };
}

/** The amounts and taxes of lines, and their sums, which can be negative or exceed the maximum. */
export function sumsOf(lines: readonly Omit<LineInput, 'description'>[]) {
  const amounts = lines.map(({ quantity, unitAmount }) => BigInt(quantity) * BigInt(unitAmount));
  const taxes = taxesOf(lines, amounts);
  return { amounts, taxes, subtotal: sumOf(amounts), tax: sumOf(taxes) };
}

function taxesOf(lines: readonly Omit<LineInput, 'description'>[], amounts: readonly bigint[]): bigint[] {
  const taxes = lines.map(({ taxAmount = 0 }) => BigInt(taxAmount));
  for (const rate of new Set(lines.map(({ taxRate }) => taxRate))) {
    if (rate === undefined) continue;
    const withRate = lines.flatMap((line, i) => (line.taxRate === rate ? [i] : []));
    const shares = apportion(
      withRate.map((i) => (amounts[i] as bigint) * BigInt(rate)),
      basisPoints,
    );
    for (const [position, i] of withRate.entries()) taxes[i] = shares[position] as bigint;
  }
  return taxes;
}

const sumOf = (values: readonly bigint[]) => values.reduce((sum, value) => sum + value, 0n);
const isSafeAmount = (amount: bigint) => amount <= BigInt(maximumAmount) && amount >= -BigInt(maximumAmount);
