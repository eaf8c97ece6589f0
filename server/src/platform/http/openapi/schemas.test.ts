import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { DocumentSchemas } from './schemas.ts';

test('the document states the rules that a schema declares for it alone', () => {
  const rules = { not: { required: ['rate', 'amount'] } };
  const line = Type.Object({ rate: Type.Optional(Type.Integer()) }, { documented: rules });

  const written = new DocumentSchemas([]).refer(line);

  expect(written).toMatchObject(rules);
  expect(written).not.toHaveProperty('documented');
});
