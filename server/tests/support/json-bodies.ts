import { declaredOpenApi } from '../../src/app/openapi/document.ts';
import examples from '../../src/app/openapi/examples.json' with { type: 'json' };
import { type BodyShape, bodyShapeOf } from './body-fields.ts';

/** The JSON body of an endpoint, as the OpenAPI document has it. */
export interface JsonBody {
  path: string;
  fields: Record<string, FieldShape>;
  required: readonly string[];
  /** No field is required, but a body is. */
  needsBody: boolean;
  /** That of the recorded request; empty if it has none. */
  example: Record<string, unknown>;
}

/** What a field may contain. */
export interface FieldShape {
  kind: 'string' | 'integer' | 'boolean' | 'object' | 'strings' | 'integers' | 'objects' | 'tenant';
  /** Null is a value: it clears the field. */
  isNullable: boolean;
  isEnumeration: boolean;
  minimum: number;
  maximum: number;
  /** The whole schema without its description: fields with the same text have the same shape. */
  text: string;
}

interface Schema extends BodyShape {
  type?: string | string[];
  anyOf?: Schema[];
  enum?: unknown[];
  items?: Schema;
  minimum?: number;
  maximum?: number;
  description?: string;
  'x-null-means-absent'?: true;
}

interface Operation {
  operationId: string;
  requestBody?: {
    required?: boolean;
    content: { 'application/json'?: { schema: Schema }; 'application/octet-stream'?: unknown };
  };
}

/** All endpoints that take a JSON body; that of a callback has a form that its provider decides. */
export function jsonBodies(): JsonBody[] {
  const document = declaredOpenApi() as unknown as {
    paths: Record<string, { post?: Operation }>;
    components: { schemas: Record<string, Schema> };
  };
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined
      ? schema
      : resolve(document.components.schemas[schema.$ref.split('/').at(-1) as string] as Schema);
  return Object.entries(document.paths).flatMap(([path, { post }]) => {
    const content = post?.requestBody?.content;
    if (post === undefined || content?.['application/json'] === undefined) return [];
    if (content['application/octet-stream'] !== undefined) return [];
    const { properties = {}, required = [] } = bodyShapeOf(post, document);
    const recorded = examples as unknown as Record<string, { body?: Record<string, unknown> }>;
    return {
      path,
      fields: Object.fromEntries(
        Object.entries(properties as Record<string, Schema>).map(([name, schema]) => [name, shapeOf(schema, resolve)]),
      ),
      required,
      needsBody: post.requestBody?.required === true,
      example: recorded[post.operationId]?.body ?? {},
    };
  });
}

function shapeOf(given: Schema, resolve: (schema: Schema) => Schema): FieldShape {
  const { description: _description, ...schema } = resolve(given);
  const types = [schema.type ?? []].flat();
  return {
    kind: kindOf(schema, types, resolve),
    isNullable: types.includes('null') && schema['x-null-means-absent'] === undefined,
    isEnumeration: schema.enum !== undefined,
    minimum: schema.minimum ?? Number.NEGATIVE_INFINITY,
    maximum: schema.maximum ?? Number.POSITIVE_INFINITY,
    text: JSON.stringify(schema),
  };
}

function kindOf(schema: Omit<Schema, 'description'>, types: string[], resolve: (schema: Schema) => Schema) {
  const kind = types.find((type) => type !== 'null');
  if (kind === 'string' || kind === 'integer' || kind === 'boolean' || kind === 'object') return kind;
  // A tenant is a number, or its digits.
  if (schema.anyOf !== undefined) return 'tenant';
  const item = schema.items && resolve(schema.items).type;
  if (kind === 'array' && (item === 'string' || item === 'integer' || item === 'object')) return `${item}s` as const;
  throw new Error(`There are no wrong values for a field of this shape: ${JSON.stringify(schema)}`);
}

/** Values that no field of the kind accepts, as JSON text, because some numbers can be written only there. */
const wrong: Record<FieldShape['kind'], string[]> = {
  string: ['5', 'true', 'null', '[]', '{}', '["x"]', '"\\u0000"', '"a\\u0000b"', '"\\ud800"', '"a\\udc00b"', '1e400'],
  integer: [
    ...['"5"', 'true', 'null', '[]', '{}', '0', '-1', '1.5', '-0', '9007199254740992', '9007199254740993'],
    ...['9007199254740991.4', '1.00000000000000000001', '1e400', '-1e400', '1e-400', '123456789012345678901234567890'],
  ],
  boolean: ['"true"', '1', '0', 'null', '[]', '{}'],
  object: [
    ...['5', '"{}"', 'true', 'null', '[]', '[{}]', '{"a":"\\u0000"}', '{"\\u0000":1}', '{"a":{"b":["\\ud800"]}}'],
    ...['{"a":9007199254740993}', '{"a":1e400}', '{"a":[9007199254740991.4]}'],
  ],
  strings: [
    ...['5', '"x"', 'true', 'null', '{}', '[5]', '[null]', '[["x"]]', '["\\u0000"]', '["\\ud800"]'],
    '["no such word"]',
  ],
  integers: ['[0]', '[1.5]', '["1"]', '[9007199254740992]', '[1, 1]', '[1, 2, 3, 4, 5, 6]', '5', '{}', 'null'],
  objects: [
    ...['5', '"x"', 'true', 'null', '{}', '[]', '[5]', '[{}]', '[{"description":"x","quantity":1}]'],
    ...['[{"description":"\\u0000","quantity":1,"unitAmount":1}]', '[{"description":"x","quantity":0,"unitAmount":1}]'],
    '[{"description":"x","quantity":1,"unitAmount":1e400}]',
  ],
  tenant: ['true', '[]', '{}', '-1', '1.5', '"one"', '""', '"1 or 1=1"', '9007199254740993', '"\\u0000"'],
};

/** Values that a field of this shape does not accept, as JSON text. */
export function wrongValues({ kind, isNullable, isEnumeration, minimum, maximum }: FieldShape): string[] {
  const permitted = [...(isNullable ? ['null'] : []), ...(minimum <= 0 ? ['0', '-0'] : [])];
  return [
    ...wrong[kind].filter((json) => !permitted.includes(json)),
    ...(isEnumeration ? ['"no such word"', '""'] : []),
    ...(maximum < Number.MAX_SAFE_INTEGER ? [String(maximum + 1)] : []),
  ];
}

const few = ['"5"', '5', 'true', '1.5', '"true"', '[5]', '"\\u0000"', '{"a":"\\u0000"}', '["\\u0000"]'];

/** A wrong type, and text that PostgreSQL cannot store. */
export function fewWrongValues(shape: FieldShape): string[] {
  return wrongValues(shape).filter((json) => few.includes(json));
}
