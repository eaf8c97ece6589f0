import fc from 'fast-check';
import { expect, test } from 'vitest';
import { currencyCodes } from '../currency.ts';
import { amountOfDecimal, decimalOf } from '../money.ts';

test.each([
  [1999, 'USD', '19.99'],
  [5, 'USD', '0.05'],
  [-5, 'USD', '-0.05'],
  [-500, 'USD', '-5.00'],
  [0, 'USD', '0.00'],
  [-1, 'JPY', '-1'],
  [-7n, 'KWD', '-0.007'],
])('%s of %s is %s as a decimal', (amount, currency, decimal) => {
  expect(decimalOf(amount, currency)).toBe(decimal);
});

test('an amount is the same after it was a decimal, and a negative one has its sign before', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      fc.constantFrom(...currencyCodes),
      (amount, code) => {
        expect(amountOfDecimal(decimalOf(amount, code), code)).toBe(amount);
        expect(decimalOf(-amount, code)).toBe(`-${decimalOf(amount, code)}`);
      },
    ),
  );
});
