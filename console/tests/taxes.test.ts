import { expect, test } from 'vitest';
import { taxesByRate } from '../src/pages/invoices/taxes.ts';

test('the taxes of an invoice are one row for each rate, and credits lower them', () => {
  const lines = [
    { taxRate: 1900, taxAmount: 1881 },
    { taxRate: 1900, taxAmount: -551 },
    { taxRate: 700, taxAmount: 70 },
    { taxRate: 1900, taxAmount: 1880 },
    { taxRate: null, taxAmount: 0 },
  ];
  expect(taxesByRate(lines)).toEqual([
    { taxRate: 1900, amount: 3210n },
    { taxRate: 700, amount: 70n },
  ]);
});

test('a tax that was given as an amount has a row without a rate, and an untaxed invoice has none', () => {
  expect(taxesByRate([{ taxRate: null, taxAmount: 12 }])).toEqual([{ taxRate: null, amount: 12n }]);
  expect(taxesByRate([{ taxRate: null, taxAmount: 0 }])).toEqual([]);
});
