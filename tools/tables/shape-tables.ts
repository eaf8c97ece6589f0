import type { Route } from '@florin/server/platform/http/route.ts';
import type { TSchema } from 'typebox';
import { table } from './markdown-table.ts';

/** The fields of a request: path, headers, query and body. */
export function requestTable({ endpoint }: Route): string {
  const { body, query, params, headers } = endpoint;
  const rows = [
    ...fieldsOf(params).map((field) => ({ ...field, name: `${field.name} (path)` })),
    ...fieldsOf(headers).map((field) => ({ ...field, name: `${headerName(field.name)} (header)` })),
    ...fieldsOf(query),
    ...fieldsOf(body),
  ];
  if (rows.length === 0) return 'No parameters.';
  return table(
    [query === undefined ? 'Field' : 'Query parameter', 'Type', 'Required', 'Meaning'],
    rows.map(({ name, shape, required }) => [
      `\`${name}\``.replace(/ \((header|path)\)`$/, '` ($1)'),
      typeOf(shape),
      shape.default !== undefined ? `no; default ${shape.default}` : required,
      meaningOf(shape),
    ]),
  );
}

/** The fields of a record. */
export function shapeTable(schema: TSchema): string {
  return table(
    ['Field', 'Type', 'Meaning'],
    fieldsOf(schema).map(({ name, shape }) => [`\`${name}\``, typeOf(shape), meaningOf(shape)]),
  );
}

/** The part of JSON Schema that the routes use. */
interface Shape {
  type?: string | string[];
  enum?: string[];
  const?: unknown;
  anyOf?: Shape[];
  items?: Shape;
  properties?: Record<string, Shape>;
  required?: string[];
  /** What a body needs that creates a record. */
  else?: { required?: string[] };
  default?: unknown;
  title?: string;
  description?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

interface Field {
  name: string;
  shape: Shape;
  required: 'yes' | 'no' | 'to create';
}

/** The fields of an object; fields of nested objects have dotted names. */
function fieldsOf(schema: TSchema | undefined, prefix = ''): Field[] {
  const shape = (schema ?? {}) as Shape;
  const object = shape.anyOf?.find((one) => one.properties !== undefined) ?? shape;
  return Object.entries(object.properties ?? {}).flatMap(([name, inner]) => {
    if (Object.keys(inner.properties ?? {}).length > 0) return fieldsOf(inner as TSchema, `${prefix}${name}.`);
    return [{ name: prefix + name, shape: inner, required: requiredOf(name, object) }];
  });
}

function requiredOf(name: string, object: Shape): Field['required'] {
  if (object.required?.includes(name)) return 'yes';
  return object.else?.required?.includes(name) ? 'to create' : 'no';
}

function typeOf(shape: Shape): string {
  if (shape.enum !== undefined || shape.const !== undefined) return 'string';
  if (shape.anyOf !== undefined) return [...new Set(shape.anyOf.map(typeOf))].join(' or ');
  if (shape.type === 'array') return `array of ${typeOf(shape.items ?? {})}`;
  return [shape.type ?? 'any'].flat().join(' or ');
}

/** A longer enumeration is explained in the text around the table. */
const wordsListed = 8;

function meaningOf(shape: Shape): string {
  const words = shape.enum ?? shape.items?.enum;
  const said = shape.description ?? '';
  const limits = [
    shape.const === undefined ? undefined : `Always \`${shape.const}\``,
    words === undefined || words.length > wordsListed
      ? undefined
      : `One of ${words.map((word) => `\`${word}\``).join(', ')}`,
    shape.title === undefined || shape.anyOf !== undefined || said.includes('YYYY') ? undefined : capital(shape.title),
    within(shape.minimum, shape.maximum, said, ''),
    shape.title === undefined ? within(shape.minLength, shape.maxLength, said, ' characters') : undefined,
    within(shape.minItems, words === undefined ? shape.maxItems : undefined, said, ' entries'),
  ];
  return [...limits.filter((limit) => limit !== undefined).map((limit) => `${limit}.`), said].filter(Boolean).join(' ');
}

function within(least: number | undefined, most: number | undefined, said: string, unit: string): string | undefined {
  const bounded = most !== undefined && most !== Number.MAX_SAFE_INTEGER;
  if (said.includes(String(most)) || (least === undefined && !bounded)) return undefined;
  if (!bounded) return `At least ${least}${least === 1 ? unit.replace('ies', 'y').replace(/s$/, '') : unit}`;
  return least === undefined || least === 0 ? `At most ${most}${unit}` : `${least} to ${most}${unit}`;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** `idempotency-key` becomes `Idempotency-Key`. */
const headerName = (name: string) => name.split('-').map(capital).join('-');
