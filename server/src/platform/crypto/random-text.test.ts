import { expect, test } from 'vitest';
import { randomText } from './random-text.ts';

test('random text has the requested length, and every character is equally likely', () => {
  const drawn = 62_000;
  const text = randomText(drawn);
  expect(text).toMatch(new RegExp(`^[A-Za-z0-9]{${drawn}}$`));
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  expect(counts.size).toBe(62);
  // 1000 expected of each, standard deviation 31: eight deviations never happen, while a plain modulo shows 25 % more
  // of the first eight letters.
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(250);
});

test('random text never repeats', () => {
  expect(new Set(Array.from({ length: 1000 }, () => randomText(32))).size).toBe(1000);
});
