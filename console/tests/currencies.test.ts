import { expect, test } from 'vitest';
import { busiestFirst } from '../src/pages/home/currencies.ts';

test('the currency with the most payments comes first, and equally busy ones by name', () => {
  const amounts = [
    { currency: 'USD', count: 1 },
    { currency: 'EUR', count: 2 },
    { currency: 'CHF', count: 3 },
    { currency: 'USD', count: 2 },
  ];
  expect(busiestFirst(amounts)).toEqual(['CHF', 'USD', 'EUR']);
});
