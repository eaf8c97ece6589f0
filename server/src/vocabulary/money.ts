import { exponentOf, maximumAmount } from './currency.ts';

/**
 * Money is an integer in the smallest unit of its currency (ISO 4217), from the request to the ledger. Where a provider
 * wants another form, it is rewritten digit by digit: nothing here passes through a float.
 */

/** 1999 USD → `19.99`; 500 JPY → `500`; 1234 KWD → `1.234`. */
export function decimalOf(amount: number, currency: string): string {
  const exponent = exponentOf(currency);
  if (exponent === undefined) throw new Error(`${currency} is not a currency.`);
  const digits = String(amount).padStart(exponent + 1, '0');
  return exponent === 0 ? digits : `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

/** `19.99` USD → 1999. Undefined where it is not an amount of this currency, or more than can be carried. */
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
 * The same amount counted in units of 10^-digits, for a provider whose unit is not that of ISO 4217: 1234 KWD with 2 digits
 * cannot be said, 1230 is 123. Undefined where it would not be exact.
 */
export function inUnitsOf(amount: number, currency: string, digits: number): number | undefined {
  const exponent = exponentOf(currency);
  if (exponent === undefined) return undefined;
  const shift = 10 ** Math.abs(digits - exponent);
  const converted = digits >= exponent ? amount * shift : amount / shift;
  return Number.isSafeInteger(converted) && (digits >= exponent || amount % shift === 0) ? converted : undefined;
}
