import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maximumAmount } from '../../../../core/currency.ts';
import { allocate } from '../../../../core/money.ts';
import { prorateChange, proratedPrice, remainingPrice } from '../periods/period.ts';

const start = Date.parse('2026-01-31T09:30:00Z');
const end = Date.parse('2026-02-28T09:30:00Z');
const january = { startMs: start, endMs: end };

test('half a period costs half its price, to the minor unit', () => {
  const middle = (start + end) / 2;
  expect(remainingPrice(1000, january, middle)).toBe(500);
  expect(prorateChange(1001, 3001, january, { startMs: middle, endMs: end })).toEqual({ credit: 500, debit: 1500 });
  expect(remainingPrice(1000, january, start)).toBe(1000);
  expect(remainingPrice(1000, january, end)).toBe(0);
});

const prices = fc.oneof(fc.integer({ min: 0, max: 100_000 }), fc.integer({ min: 0, max: maximumAmount }));
const periods = fc
  .tuple(fc.integer({ min: 0, max: 4e12 }), fc.integer({ min: 1, max: 40 * 366 * 86_400_000 }))
  .map(([startMs, lengthMs]) => ({ startMs, endMs: startMs + lengthMs }));

test('no matter how a period is divided, the prices of its parts add up to its price, and none is negative', () => {
  fc.assert(
    fc.property(
      prices,
      periods,
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 }),
      (price, period, splits) => {
        const lengthMs = period.endMs - period.startMs;
        const moments = [
          period.startMs,
          ...splits.map((split) => period.startMs + Math.floor(split * lengthMs)),
          period.endMs,
        ].sort((a, b) => a - b);
        const parts = moments
          .slice(1)
          .map((endMs, i) => proratedPrice(price, period, { startMs: moments[i] as number, endMs }));
        expect(parts.every((part) => part >= 0)).toBe(true);
        expect(parts.reduce((sum, part) => sum + BigInt(part), 0n)).toBe(BigInt(price));
      },
    ),
    { numRuns: 500 },
  );
});

test('a series of changes at one time that ends at the first price costs nothing', () => {
  fc.assert(
    fc.property(
      prices,
      fc.array(prices, { minLength: 1, maxLength: 6 }),
      periods,
      fc.double({ min: 0, max: 1, noNaN: true }),
      (price, others, period, cut) => {
        const atMs = period.startMs + Math.floor(cut * (period.endMs - period.startMs));
        const path = [price, ...others, price];
        let sum = BigInt(price);
        for (let i = 1; i < path.length; i++) {
          const { credit, debit } = prorateChange(path[i - 1] as number, path[i] as number, period, {
            startMs: atMs,
            endMs: period.endMs,
          });
          sum += BigInt(debit) - BigInt(credit);
        }
        expect(sum).toBe(BigInt(price));
      },
    ),
  );
});

test('allocated shares add up to the amount, and each is its exact part rounded down or up', () => {
  const weights = fc
    .array(fc.integer({ min: 0, max: 1e12 }), { minLength: 1, maxLength: 12 })
    .filter((list) => list.some((weight) => weight > 0));
  fc.assert(
    fc.property(prices, weights, fc.boolean(), (price, shares, negative) => {
      const amount = negative ? 0 - price : price;
      const parts = allocate(amount, shares);
      const whole = shares.reduce((sum, weight) => sum + BigInt(weight), 0n);
      expect(parts.reduce((sum, part) => sum + BigInt(part), 0n)).toBe(BigInt(amount));
      parts.forEach((part, i) => {
        const exact = BigInt(price) * BigInt(shares[i] as number);
        const size = BigInt(Math.abs(part)) * whole;
        expect(size > exact - whole && size < exact + whole).toBe(true);
      });
    }),
  );
  expect(allocate(100, [1, 1, 1])).toEqual([34, 33, 33]);
  expect(allocate(-100, [1, 1, 1])).toEqual([-34, -33, -33]);
});
