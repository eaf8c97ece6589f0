import { expect, test } from 'vitest';
import { readingsOf, typedAmount } from './read-amount.ts';

test.each([
  // Both kinds of signs: the same in every locale.
  ['1,000.00', 'USD', 'en', [100_000]],
  ['1.000,00', 'USD', 'en', [100_000]],
  ['1,000.00', 'EUR', 'de', [100_000]],
  ['1.000,00', 'EUR', 'de', [100_000]],
  ['1,234,567.89', 'EUR', 'de', [123_456_789]],
  ['1.000.000', 'EUR', 'en', [100_000_000]],
  // A sign before one or two digits is a decimal sign.
  ['19.99', 'EUR', 'de', [1999]],
  ['19,99', 'EUR', 'de', [1999]],
  ['19,99', 'USD', 'en', [1999]],
  ['19,9', 'USD', 'en', [1990]],
  ['1,00', 'USD', 'en', [100]],
  // Before three digits the locale decides.
  ['1,000', 'USD', 'en', [100_000]],
  ['1.000', 'EUR', 'de', [100_000]],
  ['1.234', 'EUR', 'de', [123_400]],
  // Never a thousandth; two readings where the sign is that of the other side.
  ['1.000', 'USD', 'en', [100, 100_000]],
  ['1,000', 'EUR', 'de', [100, 100_000]],
  ['1.234', 'USD', 'en', [123_400]],
  ['1.234', 'EUR', 'fr', [123_400]],
  // Three decimals.
  ['1.234', 'KWD', 'en', [1234]],
  ['1,234', 'KWD', 'de', [1234]],
  ['1,234', 'KWD', 'en', [1_234_000]],
  ['1.234', 'KWD', 'fr', [1234, 1_234_000]],
  // None.
  ['1,000', 'JPY', 'en', [1000]],
  ['1.000', 'JPY', 'en', [1000]],
  ['19.99', 'JPY', 'en', []],
  // Other signs for groups.
  ['1 000,50', 'EUR', 'fr', [100_050]],
  ['1\u202f000,50', 'EUR', 'fr', [100_050]],
  ["1'000.50", 'CHF', 'de-CH', [100_050]],
  ['1 00', 'EUR', 'fr', []],
  ['١٩٫٩٩', 'EGP', 'ar-EG', [1999]],
  ['١٬٠٠٠', 'EGP', 'ar-EG', [100_000]],
  // No amounts.
  ['', 'USD', 'en', []],
  ['1,0,0', 'USD', 'en', []],
  ['12,34.56', 'USD', 'en', []],
  ['1.999', 'XXX', 'en', []],
  ['19.99 USD', 'USD', 'en', []],
  ['-5', 'USD', 'en', []],
  ['1e3', 'USD', 'en', []],
  ['19.999', 'USD', 'en', [1_999_900]],
  ['19.9999', 'USD', 'en', []],
  ['5', 'USD', 'en', [500]],
])('%s of %s in %s can mean %j', (typed, currency, locale, expected) => {
  expect(readingsOf(typed, currency, locale)).toEqual(expected);
});

test.each(['en', 'de', 'fr', 'de-CH', 'ar-EG', 'es', 'sv', 'hi'])(
  'what %s shows in a field is read as the same',
  (locale) => {
    for (const currency of ['USD', 'KWD', 'JPY'])
      for (const amount of [0, 1, 10, 999, 1000, 1234, 100_000, 123_456_789])
        expect(readingsOf(typedAmount(amount, currency, locale), currency, locale), `${amount} ${currency}`).toEqual([
          amount,
        ]);
  },
);
