import fc from 'fast-check';
import { expect, test } from 'vitest';
import { currencyCodes, exponentOf, maximumAmount } from '../../../../core/currency.ts';
import { decimalOf } from '../../../../core/money.ts';
import { amountOfStripe, stripeAmount } from './units.ts';

const currency = fc.constantFrom(...currencyCodes);
const amount = fc.oneof(
  fc.integer({ min: 1, max: maximumAmount }),
  fc.integer({ min: 1, max: 10_000 }),
  fc.integer({ min: 1, max: 10_000 }).map((whole) => whole * 1_000),
);

test.each([
  [1999, 'USD', 1999],
  [500, 'JPY', 500],
  [5, 'ISK', 500],
  [5, 'UGX', 500],
  [200, 'MGA', 2],
  [201, 'MGA', undefined],
  [5120, 'KWD', 5120],
  [5124, 'KWD', undefined],
  [1045, 'HUF', 1045],
  [80045, 'TWD', 80045],
  [1000, 'IQD', undefined],
  [1000, 'LYD', undefined],
  [maximumAmount, 'ISK', undefined],
  [100, 'XXX', undefined],
])('%i %s is %s in the unit of Stripe', (minor, code, expected) => {
  expect(stripeAmount(minor, code)).toBe(expected);
});

test('every amount of every ISO 4217 currency is converted exactly or not at all', () => {
  fc.assert(
    fc.property(amount, currency, (minor, code) => {
      const converted = stripeAmount(minor, code);
      if (converted === undefined) return;
      expect(Number.isSafeInteger(converted)).toBe(true);
      expect(thousandthsOfStripe(converted, code)).toBe(thousandthsOf(decimalOf(minor, code)));
      expect(amountOfStripe(converted, code)).toBe(minor);
    }),
    { numRuns: 2_000 },
  );
});

test('every currency except the two that Stripe does not document accepts a round amount', () => {
  const refused = currencyCodes.filter((code) => stripeAmount(10_000, code) === undefined);
  expect(refused).toEqual(['IQD', 'LYD']);
});

test('an amount that would need rounding is not converted', () => {
  fc.assert(
    fc.property(amount, currency, (minor, code) => {
      if (stripeAmount(minor, code) !== undefined) return;
      const uncounted = code === 'IQD' || code === 'LYD';
      const fractional = (code === 'MGA' && minor % 100 !== 0) || (exponentOf(code) === 3 && minor % 10 !== 0);
      const tooLarge = minor > maximumAmount / 100;
      expect(uncounted || fractional || tooLarge).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('a fee that is not a whole number of minor units is not reported', () => {
  expect(amountOfStripe(59, 'USD')).toBe(59);
  expect(amountOfStripe(150, 'UGX')).toBeUndefined();
  expect(amountOfStripe(2, 'MGA')).toBe(200);
  expect(amountOfStripe(0.5, 'USD')).toBeUndefined();
  expect(amountOfStripe(1, 'XXX')).toBeUndefined();
});

/** An independent version of the documented rules: the value in thousandths. */
function thousandthsOfStripe(converted: number, code: string): bigint {
  const zero = [
    'BIF',
    'CLP',
    'DJF',
    'GNF',
    'JPY',
    'KMF',
    'KRW',
    'MGA',
    'PYG',
    'RWF',
    'VND',
    'VUV',
    'XAF',
    'XOF',
    'XPF',
  ];
  const three = ['BHD', 'JOD', 'KWD', 'OMR', 'TND'];
  if (zero.includes(code)) return BigInt(converted) * 1_000n;
  return three.includes(code) ? BigInt(converted) : BigInt(converted) * 10n;
}

function thousandthsOf(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole) * 1_000n + BigInt(fraction.padEnd(3, '0'));
}
