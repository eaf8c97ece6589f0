import { exponentOf, maximumAmount } from './currency.ts';

/**
 * Money is an integer in the smallest unit of its currency (ISO 4217), from the request to the ledger. For a
 * provider with another format it is converted digit by digit, never through a float.
 */

/** 1999 USD → `19.99`; -5 USD → `-0.05`; 500 JPY → `500`; 1234 KWD → `1.234`. */
export function decimalOf(amount: number | bigint, currency: string): string {
  const exponent = exponentOf(currency);
  if (exponent === undefined) throw new Error(`${currency} is not a currency.`);
  const isNegative = amount < 0;
  const digits = String(isNegative ? -amount : amount).padStart(exponent + 1, '0');
  const decimal = exponent === 0 ? digits : `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
  return isNegative ? `-${decimal}` : decimal;
}

/** `19.99` USD → 1999. Undefined if it is not an amount of this currency, or too large. */
export function amountOfDecimal(decimal: string, currency: string): number | undefined {
  const exponent = exponentOf(currency);
  const parts = /^(\d{1,16})(?:\.(\d+))?$/.exec(decimal);
  if (exponent === undefined || parts === null) return undefined;
  const [, whole = '', fraction = ''] = parts;
  if (/[1-9]/.test(fraction.slice(exponent))) return undefined;
  const amount = Number(whole + fraction.slice(0, exponent).padEnd(exponent, '0'));
  return amount <= maximumAmount ? amount : undefined;
}

/**
 * Converts an amount to units of 10^-digits, for a provider whose unit is not that of ISO 4217: with 2 digits 1230 KWD
 * is
 * 123. Undefined if the result would not be exact, such as for 1234 KWD.
 */
export function inUnitsOf(amount: number, currency: string, digits: number): number | undefined {
  const exponent = exponentOf(currency);
  if (exponent === undefined) return undefined;
  const shift = 10 ** Math.abs(digits - exponent);
  const converted = digits >= exponent ? amount * shift : amount / shift;
  return Number.isSafeInteger(converted) && (digits >= exponent || amount % shift === 0) ? converted : undefined;
}

/**
 * Splits an amount by weights, in minor units: each share is its exact part rounded down or up, and the shares add up
 * to the amount (`apportion`). Weights are integers of at least 0, and not all 0.
 */
export function allocate(amount: number, weights: readonly number[]): number[] {
  const whole = weights.reduce((sum, weight) => sum + BigInt(weight), 0n);
  if (whole <= 0n || weights.some((weight) => weight < 0))
    throw new Error('Weights must not be negative, and not all 0.');
  const exact = weights.map((weight) => BigInt(amount) * BigInt(weight));
  return apportion(exact, whole).map(Number);
}

/**
 * Rounds fractions with a common, positive denominator to whole numbers whose sum is the exact sum, rounded half away
 * from zero. Each is rounded towards zero, and those that lost most are then rounded away from it (largest remainder
 * method; of equal ones the first). The negated fractions have the negated shares, so that a reversal returns exactly
 * what it reverses.
 */
export function apportion(numerators: readonly bigint[], denominator: bigint): bigint[] {
  const shares = numerators.map((numerator) => numerator / denominator);
  const sum = numerators.reduce((all, numerator) => all + numerator, 0n);
  const lacking = roundedOf(sum, denominator) - shares.reduce((all, share) => all + share, 0n);
  const unit = lacking < 0n ? -1n : 1n;
  const lost = numerators.map((numerator) => unit * (numerator % denominator));
  const byLoss = lost.map((_, i) => i).sort((a, b) => compare(lost[b] as bigint, lost[a] as bigint) || a - b);
  for (const i of byLoss.slice(0, Number(unit * lacking))) shares[i] = (shares[i] as bigint) + unit;
  return shares;
}

/** Rounds half away from zero; the denominator is positive. */
function roundedOf(numerator: bigint, denominator: bigint): bigint {
  const half = numerator < 0n ? -denominator : denominator;
  return (2n * numerator + half) / (2n * denominator);
}

const compare = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0);
