import fc from 'fast-check';
import { expect, test } from 'vitest';
import { currencyCodes, exponentOf, maximumAmount } from '../../../../core/currency.ts';
import { isAmount, mollieAmount } from './amounts.ts';

const amounts = fc.integer({ min: 1, max: maximumAmount });
const currencies = fc.constantFrom(...currencyCodes);

test('amounts have the digits that Mollie expects', () => {
  expect(mollieAmount(1000, 'EUR')).toEqual({ currency: 'EUR', value: '10.00' });
  expect(mollieAmount(500, 'JPY')).toEqual({ currency: 'JPY', value: '500' });
  expect(mollieAmount(500, 'ISK')).toEqual({ currency: 'ISK', value: '500' });
  expect(mollieAmount(5, 'HUF')).toEqual({ currency: 'HUF', value: '0.05' });
  expect(mollieAmount(100, 'TWD')).toEqual({ currency: 'TWD', value: '1.00' });
  expect(mollieAmount(maximumAmount, 'USD')).toEqual({ currency: 'USD', value: '90071992547409.91' });
  expect(mollieAmount(1234, 'KWD')).toBeUndefined();
  expect(mollieAmount(1, 'XXX')).toBeUndefined();
});

test('every amount of every currency is converted exactly or not at all', () => {
  fc.assert(
    fc.property(amounts, currencies, (amount, currency) => {
      const converted = mollieAmount(amount, currency);
      const exponent = exponentOf(currency) as number;
      if (exponent > 2) return converted === undefined;
      const [whole = '', fraction = ''] = (converted?.value ?? '').split('.');
      return (
        fraction.length === exponent &&
        BigInt(whole + fraction) === BigInt(amount) &&
        isAmount(converted, amount, currency)
      );
    }),
    { numRuns: 2_000 },
  );
});

test('another amount, another currency or no amount never equals the requested amount', () => {
  fc.assert(
    fc.property(amounts, amounts, currencies, currencies, (a, b, one, other) => {
      const converted = mollieAmount(a, one);
      return isAmount(converted, b, other) === (converted !== undefined && a === b && one === other);
    }),
  );
  for (const converted of [null, undefined, '10.00', {}, { currency: 'EUR' }, { currency: 'EUR', value: 10 }]) {
    expect(isAmount(converted, 1000, 'EUR')).toBe(false);
  }
  expect(isAmount({ currency: 'EUR', value: '10.001' }, 1000, 'EUR')).toBe(false);
  expect(isAmount({ currency: 'EUR', value: '-10.00' }, 1000, 'EUR')).toBe(false);
});
