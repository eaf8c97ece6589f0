import { expect, test } from 'vitest';
import { changedMetadata } from '../metadata.ts';

const before = { a: 1, b: { c: null }, d: null };

test('metadata changes by key: named keys are set, null deletes one, all others stay', () => {
  expect(changedMetadata(before, { metadata: { a: 2, b: null, e: [null] } })).toEqual({ a: 2, d: null, e: [null] });
  expect(changedMetadata(null, { metadata: { a: 1, b: null } })).toEqual({ a: 1 });
  expect(changedMetadata(before, {})).toBeUndefined();
});

test('metadataReplace replaces everything, as it was sent', () => {
  expect(changedMetadata(before, { metadataReplace: { z: null } })).toEqual({ z: null });
  expect(changedMetadata(before, { metadataReplace: {} })).toEqual({});
});

test('names that are special in JavaScript are keys like others', () => {
  const given = JSON.parse('{"__proto__":{"polluted":true},"constructor":1}') as object;
  const after = changedMetadata(before, { metadata: given });
  expect(Object.keys(after ?? {})).toEqual(['a', 'b', 'd', '__proto__', 'constructor']);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test('both fields together, and more than 50 keys or 16 KiB after the change, are refused', () => {
  const keys = (count: number, from = 0) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${from + i}`, 1]));
  const long = { text: 'x'.repeat(9_000) };
  const field = (name: string) => expect.objectContaining({ type: 'invalid_request', field: name });
  expect(() => changedMetadata(before, { metadata: {}, metadataReplace: {} })).toThrow(field('metadataReplace'));
  expect(() => changedMetadata(keys(40), { metadata: keys(11, 40) })).toThrow(field('metadata'));
  expect(() => changedMetadata(long, { metadata: { more: 'x'.repeat(9_000) } })).toThrow(field('metadata'));
  expect(() => changedMetadata(null, { metadataReplace: { a: 'x'.repeat(17_000) } })).toThrow(field('metadataReplace'));
  expect(Object.keys(changedMetadata(keys(40), { metadata: keys(10, 40) }) ?? {})).toHaveLength(50);
});
