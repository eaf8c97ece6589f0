import { Ajv } from 'ajv';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { requiredToCreate } from '../shapes.ts';
import { stateInputNulls } from './input-nulls.ts';
import { DocumentSchemas, type Json } from './schemas.ts';

const color = Type.Enum(['red', 'blue'], { $id: 'Color' });
const input = Type.Object(
  {
    id: Type.Optional(Type.Integer()),
    name: Type.Optional(Type.String()),
    color: Type.Optional(color),
    note: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    tags: Type.Optional(Type.Object({}, { additionalProperties: true })),
    tagsReplace: Type.Optional(Type.Object({}, { additionalProperties: true })),
    lines: Type.Optional(Type.Array(Type.Object({ text: Type.String(), only: Type.Optional(Type.Literal(true)) }))),
  },
  { $id: 'Input', additionalProperties: false, ...requiredToCreate(['name']) },
);
const body = (schema: Json) => ({ requestBody: { content: { 'application/json': { schema } } } });
const answer = (schema: Json) => ({ responses: { 200: { content: { 'application/json': { schema } } } } });

function documented() {
  const schemas = new DocumentSchemas();
  const paths = { '/modify': { post: body(schemas.refer(input)) } };
  stateInputNulls(paths, {}, schemas.used);
  const ajv = new Ajv({ strict: false, formats: { int64: true } });
  return { schemas, accepts: ajv.compile({ ...schemas.used.Input, components: { schemas: schemas.used } }) };
}

test('an optional field of a request may be null, at every depth, and a required one may not', () => {
  const { accepts } = documented();
  expect(accepts({ name: 'a', color: null, tags: null, lines: [{ text: 'x', only: null }] })).toBe(true);
  expect(accepts({ name: 'a', color: 'red', lines: [{ text: 'x', only: true }] })).toBe(true);
  expect(accepts({ name: 'a', lines: [{ text: null }] })).toBe(false);
  expect(accepts({ name: 'a', color: 'green' })).toBe(false);
});

test('what a new record needs is said in words, because generators stop at rules over several fields', () => {
  const { Input } = documented().schemas.used;
  expect(Input).toMatchObject({ description: 'Without `id` it creates, and needs `name`.' });
  for (const rule of ['if', 'then', 'else', 'not']) expect(Input).not.toHaveProperty(rule);
});

test('a null that counts as absent is marked, and one that clears is not', () => {
  const { Input } = documented().schemas.used as unknown as { Input: { properties: Record<string, Json> } };
  const mark = 'x-null-means-absent';
  expect(Input.properties.name).toMatchObject({ type: ['string', 'null'], [mark]: true });
  expect(Input.properties.note).toEqual({ type: ['string', 'null'] });
});

test('a schema with optional fields is not that of a request and of an answer at once', () => {
  const schemas = new DocumentSchemas();
  const reference = schemas.refer(input);
  const paths = { '/modify': { post: { ...body(reference), ...answer(reference) } } };
  expect(() => stateInputNulls(paths, {}, schemas.used)).toThrow('Input');
});
