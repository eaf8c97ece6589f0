import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allocate, apportion } from '../money.ts';
import { type LineInput, priceLines, sumsOf } from '../price-lines.ts';

const line = (unitAmount: number, taxRate?: number, quantity = 1): LineInput => ({
  description: 'x',
  quantity,
  unitAmount,
  taxRate,
});

test('the tax of a rate is calculated once, on the sum of its lines, and apportioned by largest remainder', () => {
  // 10 × 0.19 = 1.9, rounded to 2. Rounded line by line, the tax would be 0.
  const small = priceLines(Array.from({ length: 10 }, () => line(1, 1900)));
  expect(small.tax).toBe(2);
  expect(small.lines.map(({ taxAmount }) => taxAmount)).toEqual([1, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
  const mixed = priceLines([line(333, 700, 3), line(450, 1900), line(999, 700), line(-100)]);
  expect(mixed).toMatchObject({ subtotal: 2348, tax: 140 + 86, total: 2574 });
});

test('for any lines, the totals are the sums of the lines, and each tax is less than one minor unit off', () => {
  const lines = fc.array(
    fc.record({
      description: fc.constant('x'),
      quantity: fc.integer({ min: 1, max: 1000 }),
      unitAmount: fc.integer({ min: 0, max: 1_000_000 }),
      taxRate: fc.option(fc.integer({ min: 0, max: 10_000 }), { nil: undefined }),
    }),
    { minLength: 1, maxLength: 30 },
  );
  fc.assert(
    fc.property(lines, (given) => {
      const { lines: out, subtotal, tax, total } = priceLines(given);
      const sum = (values: number[]) => values.reduce((all, value) => all + value, 0);
      expect(sum(out.map(({ amount }) => amount))).toBe(subtotal);
      expect(sum(out.map(({ taxAmount }) => taxAmount))).toBe(tax);
      expect(subtotal + tax).toBe(total);
      for (const { amount, taxRate, taxAmount } of out) {
        expect(Math.abs(taxAmount * 10_000 - amount * (taxRate ?? 0))).toBeLessThan(10_000);
      }
      for (const rate of new Set(given.map(({ taxRate }) => taxRate))) {
        const withRate = out.filter(({ taxRate }) => taxRate === (rate ?? null));
        const exact = sum(withRate.map(({ amount }) => amount)) * (rate ?? 0);
        expect(sum(withRate.map(({ taxAmount }) => taxAmount))).toBe(Math.floor((exact + 5000) / 10_000));
      }
    }),
  );
});

test('a full reversal returns exactly the amounts and taxes of the lines that it reverses', () => {
  // 5,025 at 50 % are taxed 2,512.5, which is 2,513, and 2,513 must be returned.
  expect(sumsOf([line(5025, 5000)]).taxes).toEqual([2513n]);
  expect(sumsOf([line(-5025, 5000)]).taxes).toEqual([-2513n]);
  const lines = fc.array(
    fc.record({
      quantity: fc.integer({ min: 1, max: 1000 }),
      unitAmount: fc.integer({ min: -1_000_000, max: 1_000_000 }),
      taxRate: fc.constantFrom(undefined, 0, 1, 700, 1900, 2500, 5000),
    }),
    { minLength: 1, maxLength: 30 },
  );
  fc.assert(
    fc.property(lines, (given) => {
      const original = sumsOf(given);
      const reversal = sumsOf(given.map((line) => ({ ...line, unitAmount: -line.unitAmount })));
      expect(reversal.taxes).toEqual(original.taxes.map((tax) => -tax));
      expect([reversal.subtotal, reversal.tax]).toEqual([-original.subtotal, -original.tax]);
    }),
  );
});

test('a credit reduces the tax of its rate', () => {
  expect(priceLines([line(1000, 1900), line(-500, 1900)])).toMatchObject({ subtotal: 500, tax: 95, total: 595 });
  expect(priceLines([line(1000, 1900), line(-1000, 1900)])).toMatchObject({ subtotal: 0, tax: 0, total: 0 });
  expect(() => priceLines([line(-1)])).toThrow('less than 0');
});

test('apportioning neither loses nor adds a unit, even with negative numbers', () => {
  const numerators = fc.array(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), { maxLength: 40 });
  fc.assert(
    fc.property(numerators, fc.bigInt({ min: 1n, max: 10n ** 12n }), (given, denominator) => {
      const shares = apportion(given, denominator);
      const exact = given.reduce((all, one) => all + one, 0n);
      const whole = shares.reduce((all, one) => all + one, 0n);
      const off = 2n * (whole * denominator - exact) * (exact < 0n ? -1n : 1n);
      expect(off > -denominator && off <= denominator).toBe(true);
      expect(
        apportion(
          given.map((numerator) => -numerator),
          denominator,
        ),
      ).toEqual(shares.map((share) => -share));
      for (const [i, share] of shares.entries()) {
        const lost = (given[i] as bigint) - share * denominator;
        expect(lost > -denominator && lost < denominator).toBe(true);
      }
    }),
  );
  expect(allocate(100, [1, 1, 1])).toEqual([34, 33, 33]);
  expect(allocate(-100, [1, 1, 1])).toEqual([-34, -33, -33]);
});
