import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Refusal } from '../../../core/errors.ts';
import { parseJsonBody, refuseUnstorableText } from '../json-body.ts';

const parse = (text: string) => parseJsonBody(Buffer.from(text));

/** How a text is refused: the type, and the field to blame. */
function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return `${error.type} ${error.field ?? ''}`.trim();
    throw error;
  }
  return 'taken';
}

test('whatever JSON can say that a double and PostgreSQL can hold comes through as it is', () => {
  const storable = fc.string({ unit: 'binary' }).map((text) => text.toWellFormed().replaceAll('\0', ''));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, false),
      storable,
      fc.maxSafeInteger(),
      fc.double({ noDefaultInfinity: true, noNaN: true, min: -1e9, max: 1e9 }),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(storable, tie('value'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(value, (any) => {
      expect(parse(JSON.stringify(any))).toEqual(JSON.parse(JSON.stringify(any)));
    }),
    { seed: 1, numRuns: 500 },
  );
});

test('no body is no value', () => {
  expect(parseJsonBody(Buffer.alloc(0))).toBeUndefined();
});

describe('numbers', () => {
  test.each([
    '0',
    '-0',
    '1',
    '-1',
    '9007199254740991',
    '-9007199254740991',
    '9007199254740991.0',
    '9007199254740991.000000000000',
    '9.007199254740991e15',
    '90071992547409910e-1',
    '1e15',
    '1E+15',
    '1000000000000000e-15',
    '0.1',
    '0.30000000000000004',
    '3.141592653589793',
    '3.14159265358979323846264338327950288',
    '0.000000000000000000000000000001',
    '123456789.123456789123456789',
    '5e-324',
  ])('%s is taken', (number) => {
    expect(parse(`{"a":${number}}`)).toEqual({ a: Number(number) });
  });

  test.each([
    '9007199254740992',
    '-9007199254740992',
    '9007199254740993',
    '9007199254740991.4',
    '9007199254740990.6',
    '1.00000000000000000001',
    '0.99999999999999999999999',
    '123456789012345678901234567890',
    '1e16',
    '1e400',
    '-1e400',
    '1e-400',
    '9007199254740991.00000000000000000001',
  ])('%s is refused, and named', (number) => {
    expect(refusalOf(() => parse(`{"a":${number}}`))).toBe('invalid_request a');
    expect(refusalOf(() => parse(`{"a":{"b":[0,{"c":${number}}]}}`))).toBe('invalid_request a.b.1.c');
    expect(refusalOf(() => parse(number))).toBe('invalid_request body');
  });

  test('digits in text are text', () => {
    const text = { a: '9007199254740993', '123456789012345678901': '1e400' };
    expect(parse(JSON.stringify(text))).toEqual(text);
  });

  test('an integer is taken exactly if it survives a double', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), (integer) => {
        const fits = integer >= -(2n ** 53n) + 1n && integer <= 2n ** 53n - 1n;
        expect(refusalOf(() => parse(`[${integer}]`))).toBe(fits ? 'taken' : 'invalid_request 0');
      }),
      { seed: 2, numRuns: 500 },
    );
  });
});

describe('text', () => {
  test.each([
    ['{"a":"\\u0000"}', 'a'],
    ['{"a":{"b":["x","y\\u0000"]}}', 'a.b.1'],
    ['{"a":"\\ud800"}', 'a'],
    ['{"a":"\\udc00"}', 'a'],
    ['{"a":"\\ud800\\ud800"}', 'a'],
    ['{"a":"\\udc00\\ud800"}', 'a'],
    ['{"\\u0000":1}', 'body'],
    ['{"a":{"\\ud800":1}}', 'a'],
  ])('%s cannot be stored, and the field is named', (text, field) => {
    expect(refusalOf(() => parse(text))).toBe(`invalid_request ${field}`);
  });

  test.each([
    ['{"a":"\\ud83d\\ude00"}', '😀'],
    ['{"a":"\\\\u0000"}', '\\u0000'],
    ['{"a":"\\u0001\\u001f\\u007f"}', '\u0001\u001f\u007f'],
    ['{"a":"\ufeff\u2028\u202e"}', '\ufeff\u2028\u202e'],
  ])('%s can', (text, value) => {
    expect(parse(text)).toEqual({ a: value });
  });

  test('a refusal names the field it was told', () => {
    expect(refusalOf(() => refuseUnstorableText('a\0', 'id'))).toBe('invalid_request id');
    expect(refusalOf(() => refuseUnstorableText('\ud800', 'id'))).toBe('invalid_request id');
    expect(refusalOf(() => refuseUnstorableText('', 'id'))).toBe('taken');
  });
});

describe('what is no JSON', () => {
  test.each(['{', '', ' ', 'NaN', '{"a":1,}', "{'a':1}", '\ufeff{}', '{"a":1}x', '"\n"', '01', '123456789012345678x'])(
    '%j',
    (text) => {
      if (text === '') return expect(parse(text)).toBeUndefined();
      return expect(refusalOf(() => parse(text))).toBe('malformed_json');
    },
  );

  test.each([
    ['a lone continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong form', [0x22, 0xc0, 0xaf, 0x22]],
    ['half a surrogate pair', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['beyond Unicode', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
    ['cut in the middle', [0x22, 0xe2, 0x98]],
  ])('%s in UTF-8', (_what, bytes) => {
    expect(refusalOf(() => parseJsonBody(Buffer.from(bytes)))).toBe('malformed_json');
  });
});

describe('nesting', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const nestedObjects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

  test('of 20 levels is taken, of 21 not', () => {
    for (const shape of [nested, nestedObjects]) {
      expect(refusalOf(() => parse(shape(20)))).toBe('taken');
      expect(refusalOf(() => parse(shape(21)))).toBe('malformed_json');
    }
  });

  test('of any depth that fits a body is refused, also around a number too large', () => {
    for (const levels of [1_000, 10_000, 32_000]) {
      expect(refusalOf(() => parse(nested(levels)))).toBe('malformed_json');
      expect(refusalOf(() => parse(`${'['.repeat(levels)}1e400${']'.repeat(levels)}`))).not.toBe('taken');
    }
  });

  test('is told from width', () => {
    expect(refusalOf(() => parse(`[${Array(5_000).fill('[{}]').join(',')}]`))).toBe('taken');
  });
});

test('names that JavaScript reserves are names like others, and change nothing', () => {
  const parsed = parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}') as object;
  expect(Object.keys(parsed)).toEqual(['__proto__', 'constructor']);
  expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

describe('keys', () => {
  test.each([
    ['{"amount":1,"amount":2}', 'amount'],
    ['{"amount":1,"amou\\u006et":2}', 'amount'],
    ['{"a":{"b":1,"c":{"d":1},"b":2}}', 'a.b'],
    ['{"a":[{"b":1},{"b":1,"b":1}]}', 'a.b'],
    ['[{"x":"\\"","x":":"}]', 'x'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"":1,"":2}', ''],
  ])('%s has one twice, which is refused by name', (text, field) => {
    expect(refusalOf(() => parse(text))).toBe(`invalid_request ${field}`.trim());
  });

  test.each([
    '{"a":{"b":1},"c":{"b":1}}',
    '{"a":"b:c","b":"{\\"a\\":1,\\"a\\":2}","c":"\\\\"}',
    '{"__proto__":{"a":1},"a":[[],{},null,{"a":null}]}',
    '[":",{":":":"}]',
  ])('%s has none twice', (text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });
});
