import { expect, test } from 'vitest';
import { encoders } from '../array-literal.ts';

test.each([
  ['a fraction', 'bigint', 1.5],
  ['an integer that a double cannot hold', 'bigint', 2 ** 53],
  ['no number', 'bigint', Number.NaN],
  ['a fraction', 'int', 0.5],
  ['more than 32 bits', 'int', 2 ** 31],
  ['more than 16 bits', 'smallint', 2 ** 15],
  ['a day that does not exist', 'date', '2026-13-01'],
  ['a UUID with a wrong digit', 'uuid', '0193c0de-0000-7000-8000-00000000000g'],
  ['a UUID that is too short', 'uuid', '0193c0de-0000-7000-8000-00000000001'],
  ['a UUID that is too long', 'uuid', '0193c0de-0000-7000-8000-0000000000012'],
  ['a UUID without dashes', 'uuid', '0193c0de000070008000000000000001'],
] as const)('%s is refused as %s instead of being stored as another value: %s', (_what, type, value) => {
  expect(() => encoders[type]([value] as never)).toThrow();
});
