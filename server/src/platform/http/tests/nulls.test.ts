import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { nullsRemoverOf } from '../nulls.ts';

const clearable = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const address = Type.Union([Type.Object({ line1: Type.Optional(Type.String()) }), Type.Null()]);
const body = Type.Object({
  id: Type.Optional(Type.Integer()),
  name: Type.String(),
  email: clearable,
  address: Type.Optional(address),
  lines: Type.Optional(Type.Array(Type.Object({ text: Type.String(), count: Type.Optional(Type.Integer()) }))),
  metadata: Type.Optional(Type.Object({}, { additionalProperties: true })),
});
const remove = nullsRemoverOf(Type.Union([body, Type.Null()])) as (body: unknown) => void;

function without(given: object): object {
  const copy = structuredClone(given);
  remove(copy);
  return copy;
}

test('null means "not given" for a new record, at every depth', () => {
  const given = { id: null, name: 'a', email: null, address: { line1: null }, lines: [{ text: 'x', count: null }] };
  expect(without(given)).toEqual({ name: 'a', address: {}, lines: [{ text: 'x' }] });
});

test('for an existing record, null clears what can be cleared, and else means "not given"', () => {
  expect(without({ id: 1, name: null, email: null, address: null })).toEqual({ id: 1, email: null, address: null });
});

test('nulls in metadata, in unknown fields and in wrong places stay', () => {
  const given = { metadata: { a: null }, other: null, lines: [null, 5], address: 'x' };
  expect(without(given)).toEqual(given);
  expect(() => remove(null)).not.toThrow();
  expect(() => remove([null])).not.toThrow();
});
