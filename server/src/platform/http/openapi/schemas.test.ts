import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { DocumentSchemas } from './schemas.ts';

test('the document states what a schema declares for it alone', () => {
  const list = Type.String({ documented: { pattern: '^a(,a)*$' } });

  const written = new DocumentSchemas([]).refer(list);

  expect(written).toEqual({ type: 'string', pattern: '^a(,a)*$' });
});

test('an enumeration with a description of its own is a reference to the named one', () => {
  const color = Type.Enum(['red', 'blue']);
  const described = Type.Enum(['red', 'blue'], { description: 'Of the car.' });

  const written = new DocumentSchemas([{ Color: color }]).refer(Type.Object({ color: described }));

  expect(written).toMatchObject({
    properties: { color: { $ref: '#/components/schemas/Color', description: 'Of the car.' } },
  });
});

test('null is in the types of a schema, never a schema of its own', () => {
  const color = Type.Enum(['red', 'blue']);
  const size = Type.Union([Type.String(), Type.Integer(), Type.Null()]);
  const schemas = new DocumentSchemas([{ Color: color }]);

  expect(schemas.refer(Type.Union([color, Type.Null()]))).toEqual({
    type: ['string', 'null'],
    enum: ['red', 'blue', null],
  });
  expect(schemas.refer(size)).toMatchObject({ anyOf: [{ type: ['string', 'null'] }, { type: 'integer' }] });
  expect(schemas.refer(Type.Null())).toEqual({ type: ['object', 'null'], maxProperties: 0 });
});
