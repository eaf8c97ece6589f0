import fc from 'fast-check';
import { bodyShapeOf } from '../../body-fields.ts';

export interface Operation {
  method: 'GET' | 'POST';
  /** The path in the document, with parameters. */
  path: string;
  /** The path with values for its parameters. */
  address: string;
  fields: Field[];
}

export interface Field {
  name: string;
  /** Valid values, as JSON. */
  fits: string[];
  required: boolean;
}

export interface Sent {
  operation: Operation;
  as: number;
  pairs: (readonly [string, string])[];
  contentType: string;
  idempotencyKey: string | undefined;
  /** The position in the body at which a character is replaced. */
  corruption: { at: number; insert: string } | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document as it comes
export function operationsOf(document: any, fits: (path: string, name: string) => unknown[]): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, { requestBody?: never; parameters?: never }>).map(([method, operation]) => {
      // biome-ignore lint/suspicious/noExplicitAny: see above
      const { parameters = [] } = operation as any;
      const { properties = {}, required = [] } = bodyShapeOf(operation, document);
      const inQuery = parameters.filter((one: { in: string }) => one.in === 'query').map(({ name }: never) => name);
      const names: string[] = [...Object.keys(properties), ...inQuery];
      return {
        method: method.toUpperCase() as 'GET' | 'POST',
        path,
        address: path.replaceAll(/\{(\w+)\}/g, (_all, name) => String(fits(path, name)[0])),
        fields: names.map((name) => ({
          name,
          fits: fits(path, name).map((value) => JSON.stringify(value)),
          required: required.includes(name),
        })),
      };
    }),
  );
}

/** Unusual and invalid JSON texts. */
const hostile: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...[
      '""',
      '"\\u0000"',
      '"\\ud800"',
      '"\\udfff\\ud800"',
      '" "',
      '"\\u202e"',
      '"__proto__"',
      '"0"',
      '"null"',
      '"%00"',
    ],
    ...['null', 'true', '[]', '{}', '[[]]', '-1', '0', '-0', '1.5', '1e400', '-1e400', '1e-400', '9007199254740992'],
    ...['9007199254740991.4', '9223372036854775807', '1e15', '[1e400]', '{"__proto__":{"a":1}}', '{"constructor":1}'],
    ...['"2026-02-30"', '"0000-00-00"', '"9999-12-31T23:59:60Z"', '"+275760-09-13T00:00:00.001Z"', '"http://["', '"*"'],
    ...['"txn_00000000000000000000000000000000"', '"{a,b}"', '"\\\\x00"', '"\'; drop table channel; --"', 'NaN', '{'],
    `"${'x'.repeat(5000)}"`,
    `"${'x'.repeat(70_000)}"`,
    '['.repeat(2000) + ']'.repeat(2000),
  ),
  fc.json({ maxDepth: 3 }),
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => JSON.stringify(text)),
  fc.maxSafeInteger().map(String),
  fc.double().map((value) => JSON.stringify(value)),
);

const names = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'toString', '', 'id', '0'), fc.string());

/** A request to one of the operations by one of the callers, valid or invalid in one or several ways. */
export function requestTo(operations: readonly Operation[], callers: number): fc.Arbitrary<Sent> {
  return fc.nat().chain((drawn) => {
    const operation = operations[drawn % operations.length] as Operation;
    const given = operation.fields.map(({ name, fits, required }) =>
      fc.oneof(
        { weight: 40, arbitrary: fc.constantFrom(...fits).map((json) => [[name, json] as const]) },
        { weight: 2, arbitrary: hostile.map((json) => [[name, json] as const]) },
        { weight: required ? 1 : 100, arbitrary: fc.constant([]) },
      ),
    );
    const stray = fc.oneof(
      { weight: 9, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(fc.tuple(names, hostile), { maxLength: 3 }) },
    );
    return fc.record({
      operation: fc.constant(operation),
      as: fc.nat({ max: callers - 1 }),
      pairs: fc.tuple(...given, stray).map((parts) => parts.flat()),
      contentType: fc.oneof(
        { weight: 19, arbitrary: fc.constant('application/json') },
        { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/json; charset=utf-16', 'x/y', '') },
      ),
      idempotencyKey: seldom(fc.constantFrom('one', 'two', 'é', 'k'.repeat(256)), 4),
      corruption: seldom(
        fc.record({ at: fc.nat({ max: 200 }), insert: fc.constantFrom('', '"', '{', '\0', ',', '\ufeff') }),
        8,
      ),
    });
  });
}

/** A value once in so many times, otherwise undefined. */
function seldom<Value>(arbitrary: fc.Arbitrary<Value>, once: number): fc.Arbitrary<Value | undefined> {
  return fc.oneof({ weight: once - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}
