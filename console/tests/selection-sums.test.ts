import { expect, test } from 'vitest';
import { sumsByStatus } from '../src/ui/tables/selection-sums.ts';

test('selected rows are added up by status and currency: no failed payment is among those that succeeded', () => {
  const rows = [
    { status: 'SUCCESS', amount: 906, currency: 'EUR' },
    { status: 'SUCCESS', amount: 1999, currency: 'USD' },
    { status: 'FAILED', amount: 7_319_002, currency: 'EUR' },
    { status: 'SUCCESS', amount: 905, currency: 'EUR' },
  ];
  expect(sumsByStatus(rows)).toEqual([
    {
      status: 'SUCCESS',
      sums: [
        { currency: 'EUR', amount: 1811n },
        { currency: 'USD', amount: 1999n },
      ],
    },
    { status: 'FAILED', sums: [{ currency: 'EUR', amount: 7_319_002n }] },
  ]);
});

test('the sum of many large amounts is exact', () => {
  const rows = Array.from({ length: 3 }, () => ({ status: 'PAID', amount: Number.MAX_SAFE_INTEGER, currency: 'EUR' }));
  expect(sumsByStatus(rows)[0]?.sums[0]?.amount).toBe(3n * BigInt(Number.MAX_SAFE_INTEGER));
});
