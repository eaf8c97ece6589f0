import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { described } from '../shapes.ts';
import { DocumentSchemas } from './schemas.ts';

test('the document states what a schema declares for it alone', () => {
  const list = Type.String({ documented: { pattern: '^a(,a)*$' } });

  const written = new DocumentSchemas().refer(list);

  expect(written).toEqual({ type: 'string', pattern: '^a(,a)*$' });
});

test('an enumeration with a description of its own is a reference to the named one', () => {
  const color = Type.Enum(['red', 'blue'], { $id: 'Color' });
  const ofCar = described(color, 'Of the car.');

  const schemas = new DocumentSchemas();
  const written = schemas.refer(Type.Object({ color: ofCar }));

  expect(written).toMatchObject({
    properties: { color: { $ref: '#/components/schemas/Color', description: 'Of the car.' } },
  });
  expect(schemas.used).toEqual({ Color: { type: 'string', enum: ['red', 'blue'] } });
});

test('two schemas with one name are refused, however deep one of them is', () => {
  const car = Type.Object({ color: Type.Enum(['red'], { $id: 'Color' }) });
  const schemas = new DocumentSchemas();
  schemas.refer(Type.Enum(['red', 'blue'], { $id: 'Color' }));

  expect(() => schemas.refer(car)).toThrow('The document would have two schemas named Color.');
});

test('null is in the types of a schema, never a schema of its own', () => {
  const color = Type.Enum(['red', 'blue'], { $id: 'Color' });
  const size = Type.Union([Type.String(), Type.Integer(), Type.Null()]);
  const schemas = new DocumentSchemas();

  expect(schemas.refer(Type.Union([color, Type.Null()]))).toEqual({
    type: ['string', 'null'],
    enum: ['red', 'blue', null],
  });
  expect(schemas.refer(size)).toMatchObject({ anyOf: [{ type: ['string', 'null'] }, { type: 'integer' }] });
  expect(schemas.refer(Type.Null())).toEqual({ type: ['object', 'null'], maxProperties: 0 });
});
