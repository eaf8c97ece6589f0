import { exponentOf } from '../../../../core/currency.ts';
import { inUnitsOf } from '../../../../core/money.ts';
import { failure } from '../failures.ts';
import type { Outcome } from '../outcome.ts';

/**
 * Stripe's unit of an amount is not always the minor unit of ISO 4217. From https://docs.stripe.com/currencies,
 * sections Zero-decimal currencies, Three-decimal currencies and Special cases:
 * - The currencies in `withoutDecimals` have no decimals. Stripe's list has UGX too, but a special case overrides it.
 * - ISK and UGX have no decimals either, but the API expects two, always `00`: 5 ISK is 500.
 * - Of three decimals the last must be 0: 5.120 KWD is 5120, and 5.124 KWD can be neither charged nor refunded.
 * - HUF and TWD are special for payouts only. All other currencies have two decimals.
 */
const withoutDecimals = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '));
const withThreeDecimals = new Set('BHD JOD KWD OMR TND'.split(' '));

/**
 * Converts an amount from minor units of ISO 4217 to Stripe's unit: 500 JPY is 500, 5 ISK is 500, 200 MGA (2.00) is 2.
 * Undefined if that is not exact.
 */
export function stripeAmount(amount: number, currency: string): number | undefined {
  const digits = digitsOf(currency);
  const converted = digits === undefined ? undefined : inUnitsOf(amount, currency, digits);
  return digits === 3 && converted !== undefined && converted % 10 !== 0 ? undefined : converted;
}

/** The outcome of an operation with an amount that cannot be converted. It is never sent. */
export function unsupportedAmount({ currency }: { currency: string }): Outcome {
  const message = `Stripe does not support the smallest unit of ${currency} that this amount needs.`;
  return { kind: 'failed', failure: failure('not_supported', null, message) };
}

/** Converts an amount from Stripe's unit to minor units of ISO 4217. Undefined if that is not exact or not possible. */
export function amountOfStripe(amount: number, currency: string): number | undefined {
  const digits = digitsOf(currency);
  const exponent = exponentOf(currency);
  if (digits === undefined || exponent === undefined || !Number.isSafeInteger(amount)) return undefined;
  const shift = 10 ** Math.abs(exponent - digits);
  const converted = exponent >= digits ? amount * shift : amount / shift;
  return Number.isSafeInteger(converted) ? converted : undefined;
}

/** IQD and LYD have three digits in ISO 4217. Stripe documents no unit for them. */
function digitsOf(currency: string): 0 | 2 | 3 | undefined {
  if (withoutDecimals.has(currency)) return 0;
  if (withThreeDecimals.has(currency)) return 3;
  return exponentOf(currency) === 3 ? undefined : 2;
}
