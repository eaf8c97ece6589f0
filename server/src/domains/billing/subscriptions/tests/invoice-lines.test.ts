import fc from 'fast-check';
import { expect, test } from 'vitest';
import { priceLines } from '../../../../core/price-lines.ts';
import { type ChangeLine, invoiceLinesOf, type Line } from '../renewal/invoice-lines.ts';

const rates = fc.constantFrom(null, 0, 700, 725, 1900);
const changes = fc.array(
  fc.record({ description: fc.constant('Change'), amount: fc.integer({ min: -50_000, max: 50_000 }), tax_rate: rates }),
  { maxLength: 120 },
);
const periods = fc.option(
  fc.tuple(fc.integer({ min: 0, max: 9_000 }), fc.integer({ min: 1, max: 5 }), rates).map(
    ([unitAmount, quantity, rate]): Line => ({
      description: 'Gold',
      quantity,
      unitAmount,
      taxRate: rate ?? undefined,
    }),
  ),
  { nil: undefined },
);

function sumsByRate(lines: readonly { amount: number; rate: number | null }[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { amount, rate } of lines) sums[String(rate)] = (sums[String(rate)] ?? 0) + amount;
  return Object.fromEntries(Object.entries(sums).filter(([, amount]) => amount !== 0));
}

const changesBy = (list: readonly Omit<ChangeLine, 'description'>[]) =>
  list.map(({ amount, tax_rate }) => ({ amount, rate: tax_rate }));

test('for any pending changes, the invoice can be issued, and no tax rate gains or loses a minor unit', () => {
  fc.assert(
    fc.property(periods, changes, (period, pending) => {
      const { lines, carried } = invoiceLinesOf(period, pending);
      const priced = priceLines(lines);
      if (carried.length > 0) expect(Math.min(priced.subtotal, priced.total)).toBe(0);
      for (const { amount, tax_rate } of carried) if (amount > 0) expect([amount, tax_rate]).toEqual([1, null]);
      const invoiced = priced.lines.map(({ amount, taxRate }) => ({ amount, rate: taxRate }));
      const wanted = [
        ...(period === undefined
          ? []
          : [{ amount: period.quantity * period.unitAmount, rate: period.taxRate ?? null }]),
        ...changesBy(pending),
      ];
      expect(sumsByRate([...invoiced, ...changesBy(carried)])).toEqual(sumsByRate(wanted));
    }),
    { numRuns: 300 },
  );
});

test('a credit above the charges at one rate is carried with its rate', () => {
  const credit = { description: 'Unused time', amount: -5000, tax_rate: 1900 };
  expect(invoiceLinesOf({ description: 'Gold', quantity: 1, unitAmount: 3000, taxRate: 1900 }, [credit])).toEqual({
    lines: [
      { description: 'Gold', quantity: 1, unitAmount: 3000, taxRate: 1900 },
      { description: 'Unused time', quantity: 1, unitAmount: -5000, taxRate: 1900 },
      { description: 'Credit carried to the next invoice', quantity: 1, unitAmount: 2000, taxRate: 1900 },
    ],
    carried: [{ amount: -2000, tax_rate: 1900 }],
  });
});

test('a credit pays charges at another rate, which stay on the invoice; only the rest of the credit is carried', () => {
  const changed = [
    { description: 'Credit', amount: -1000, tax_rate: 1900 },
    { description: 'Charge', amount: 1100, tax_rate: null },
  ];
  // 924 with 19 % of tax are 1100.
  expect(invoiceLinesOf(undefined, changed)).toEqual({
    lines: [
      { description: 'Credit', quantity: 1, unitAmount: -1000, taxRate: 1900 },
      { description: 'Charge', quantity: 1, unitAmount: 1100 },
      { description: 'Credit carried to the next invoice', quantity: 1, unitAmount: 76, taxRate: 1900 },
    ],
    carried: [{ amount: -76, tax_rate: 1900 }],
  });
});

test('where tax makes a credit skip a unit, that unit is carried, so that nothing is left to pay', () => {
  // At 100 %, a credit of 500 is worth 1000, and one of 501 is worth 1002.
  const { lines, carried } = invoiceLinesOf(undefined, [
    { description: 'Credit', amount: -900, tax_rate: 10_000 },
    { description: 'Charge', amount: 1001, tax_rate: null },
  ]);
  expect(carried).toEqual([
    { amount: -400, tax_rate: 10_000 },
    { amount: 1, tax_rate: null },
  ]);
  expect(lines.at(-1)).toEqual({ description: 'Rounding carried to the next invoice', quantity: 1, unitAmount: -1 });
  expect(priceLines(lines).total).toBe(0);
});
