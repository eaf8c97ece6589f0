import { expect, test } from 'vitest';
import { currencyCodes, exponentOf, isCurrency, maximumAmount } from '../currency.ts';

/** Codes of ISO 4217 that are not used for payments: funds, metals, units of account, tests. */
const notPaidIn = ['BOV', 'CHE', 'CHW', 'CLF', 'COU', 'MXV', 'USN', 'UYW', 'XSU', 'XUA', 'XDR', 'XTS', 'XXX'];
const metals = ['XAG', 'XAU', 'XPD', 'XPT'];

test('each code is three capital letters, and no code is listed twice', () => {
  for (const code of currencyCodes) expect(code).toMatch(/^[A-Z]{3}$/);
  expect(new Set(currencyCodes).size).toBe(currencyCodes.length);
});

test('each is a currency that Unicode knows too', () => {
  const known = new Set(Intl.supportedValuesOf('currency'));
  // Newer than the tables of some releases of Node.
  const recent = ['XCG', 'ZWG', 'SLE', 'VED'];
  expect(currencyCodes.filter((code) => !known.has(code) && !recent.includes(code))).toEqual([]);
});

test.each(['USD', 'EUR', 'GBP', 'JPY', 'CHF', 'CNY', 'INR', 'BRL', 'KWD', 'XOF', 'UAH', 'TRY', 'AED'])(
  'people pay in %s',
  (code) => {
    expect(isCurrency(code)).toBe(true);
  },
);

test.each([...notPaidIn, ...metals, 'usd', 'Usd', '', 'US', 'USDX', ' USD', 'toString', '__proto__'])(
  '%j is no currency to pay in',
  (code) => {
    expect(isCurrency(code)).toBe(false);
    expect(exponentOf(code)).toBeUndefined();
  },
);

test.each([
  ['USD', 2],
  ['EUR', 2],
  ['JPY', 0],
  ['KRW', 0],
  ['ISK', 0],
  ['CLP', 0],
  ['KWD', 3],
  ['BHD', 3],
  ['TND', 3],
])('%s has %d digits behind the point', (code, digits) => {
  expect(exponentOf(code)).toBe(digits);
});

test('the largest amount is one that every client reads exactly from a JSON number', () => {
  expect(maximumAmount).toBe(9_007_199_254_740_991);
});
