import { exponentOf } from '../../../../core/currency.ts';
import { inUnitsOf } from '../../../../core/money.ts';
import { failure } from '../failures.ts';
import type { Outcome } from '../provider.ts';

/**
 * Stripe counts an amount in a unit of its own, which is not always that of ISO 4217. From
 * https://docs.stripe.com/currencies, sections Zero-decimal currencies, Three-decimal currencies and Special cases:
 * - These have no decimals. UGX stands in the list too, but its special case says otherwise.
 * - ISK and UGX have none either, yet are said with two, always `00`: 5 ISK is 500.
 * - Three decimals, of which the last must be 0: 5.120 KWD is 5120, and 5.124 KWD cannot be charged or given back.
 * - HUF and TWD are special for payouts alone. All others have two decimals.
 */
const withoutDecimals = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '));
const withThreeDecimals = new Set('BHD JOD KWD OMR TND'.split(' '));

/**
 * An amount in minor units of ISO 4217, as Stripe wants it: 500 JPY is 500, 5 ISK is 500, 200 MGA (2.00) is 2. Undefined
 * where it cannot be said exactly.
 */
export function stripeAmount(amount: number, currency: string): number | undefined {
  const digits = digitsOf(currency);
  const converted = digits === undefined ? undefined : inUnitsOf(amount, currency, digits);
  return digits === 3 && converted !== undefined && converted % 10 !== 0 ? undefined : converted;
}

/** What is answered in its stead, before anyone is asked. */
export function unsupportedAmount({ currency }: { currency: string }): Outcome {
  const message = `Stripe does not count in the smallest unit of ${currency} that this amount needs.`;
  return { kind: 'failed', failure: failure('not_supported', null, message) };
}

/** What Stripe says (`USD`, 59) in minor units of ISO 4217. Undefined where it cannot be said exactly, or not at all. */
export function amountOfStripe(amount: number, currency: string): number | undefined {
  const digits = digitsOf(currency);
  const exponent = exponentOf(currency);
  if (digits === undefined || exponent === undefined || !Number.isSafeInteger(amount)) return undefined;
  const shift = 10 ** Math.abs(exponent - digits);
  const converted = exponent >= digits ? amount * shift : amount / shift;
  return Number.isSafeInteger(converted) ? converted : undefined;
}

/** IQD and LYD have three in ISO 4217 and are not among Stripe's: how it would count them nobody has said. */
function digitsOf(currency: string): 0 | 2 | 3 | undefined {
  if (withoutDecimals.has(currency)) return 0;
  if (withThreeDecimals.has(currency)) return 3;
  return exponentOf(currency) === 3 ? undefined : 2;
}
