import { expect, test } from 'vitest';
import { firstUuidAt, publicId, uuidGenerator, uuidOfPublicId, uuidTimeMs } from '../id.ts';

const nowMs = Date.parse('2026-01-31T12:00:00.123Z');
const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('an id is a UUID of version 7 with the time at which it was generated', () => {
  const id = uuidGenerator(() => nowMs)();
  expect(id).toMatch(uuidV7);
  expect(uuidTimeMs(id)).toBe(nowMs);
});

test('ids ascend in order of creation: within a millisecond, beyond its 4,096, and when the clock jumps back', () => {
  let now = nowMs;
  const generate = uuidGenerator(() => now);
  const ids = Array.from({ length: 10_000 }, generate);
  now -= 3_600_000;
  ids.push(...Array.from({ length: 5_000 }, generate));
  now += 7_200_000;
  ids.push(generate());
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(uuidV7);
  expect(uuidTimeMs(ids.at(-1) as string)).toBe(now);
});

test('two sources never generate the same id in the same millisecond', () => {
  const [one, other] = [uuidGenerator(() => nowMs), uuidGenerator(() => nowMs)];
  const ids = Array.from({ length: 2_000 }, () => [one(), other()]).flat();
  expect(new Set(ids).size).toBe(ids.length);
});

test('the first id of an instant sorts before all others of that instant, and after all earlier ones', () => {
  const before = uuidGenerator(() => nowMs - 1);
  const at = uuidGenerator(() => nowMs);
  const first = firstUuidAt(nowMs);
  for (let i = 0; i < 1_000; i++) {
    expect(before() < first).toBe(true);
    expect(at() >= first).toBe(true);
  }
  expect(uuidTimeMs(first)).toBe(nowMs);
  expect(firstUuidAt(-1)).toBe(firstUuidAt(0));
});

test('a public id contains the UUID, which can be read from it', () => {
  const id = uuidGenerator(() => nowMs)();
  const shown = publicId('txn', id);
  expect(shown).toBe(`txn_${id.replaceAll('-', '')}`);
  expect(uuidOfPublicId('txn', shown)).toBe(id);
});

test.each([
  '',
  'txn_',
  'txn',
  'evt_0198a5b87c1f70008000000000000001',
  'txn_0198A5B87C1F70008000000000000001',
  'txn_0198a5b87c1f7000800000000000000',
  'txn_0198a5b87c1f700080000000000000012',
  'txn_0198a5b87c1f7000800000000000000g',
  'txn_0198a5b8-7c1f-7000-8000-000000000001',
  ' txn_0198a5b87c1f7000800000000000000',
  'txn_0198a5b87c1f70008000000000000001\n',
])('%j is no public id of a payment', (text) => {
  expect(uuidOfPublicId('txn', text)).toBeUndefined();
});
