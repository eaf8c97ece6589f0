/** A schema of an OpenAPI document of version 3.0 or 3.1, or a JSON Schema made from one. */
export type Schema = boolean | SchemaObject;

export interface SchemaObject {
  [keyword: string]: unknown;
  $ref?: string;
  type?: string | string[];
  nullable?: boolean;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema;
  items?: Schema;
  enum?: unknown[];
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  readOnly?: boolean;
  writeOnly?: boolean;
}

/** Who writes the value: fields that are `readOnly` do not belong into requests, `writeOnly` ones not into answers. */
export type Direction = 'request' | 'answer';

/**
 * - `whole`: the schema describes a value completely, so that members that it does not name are refused.
 * - `part`: it is one of several that describe the value together (`allOf`), and says nothing about other members.
 */
export type Extent = 'whole' | 'part';

export interface StrictOptions {
  direction: Direction;
  /** Finds the target of a `$ref`. */
  resolve: (ref: string) => Schema;
  /** The schema to write for a `$ref`. */
  refer: (ref: string, extent: Extent) => Schema;
}

/** Keywords that mean the same in OpenAPI and JSON Schema. All others are comments or are translated below. */
const assertions = ['const', 'format', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'uniqueItems'];

/**
 * Translates a schema of OpenAPI into a JSON Schema that also refuses undocumented members: documents leave objects
 * open, so that a misspelt member or one of another version would pass.
 */
export function strictSchema(schema: Schema, options: StrictOptions, extent: Extent = 'whole'): Schema {
  if (typeof schema === 'boolean') return schema;
  const translated = { ...assertionsOf(schema), ...combinationOf(schema, options, extent) };
  return isNullable(schema) ? orNull(translated) : translated;
}

function assertionsOf(schema: SchemaObject): SchemaObject {
  return Object.fromEntries(assertions.filter((keyword) => keyword in schema).map((key) => [key, schema[key]]));
}

function combinationOf(schema: SchemaObject, options: StrictOptions, extent: Extent): SchemaObject {
  const own = ownMembers(schema, options);
  const { $ref, allOf = [], anyOf, oneOf } = schema;
  // A lone reference or union describes the value completely if this schema does; beside others it is a part.
  const isAlone = own.properties === undefined && allOf.length === 0;
  const translate = (part: Schema, of: Extent) => strictSchema(part, options, of);
  const unionExtent = isAlone && $ref === undefined ? extent : 'part';
  const parts = [
    ...($ref === undefined ? [] : [options.refer($ref, isAlone ? extent : 'part')]),
    ...allOf.map((part) => translate(part, 'part')),
  ];
  const combined: SchemaObject = {
    ...own,
    ...(parts.length > 0 && { allOf: parts }),
    ...(anyOf && { anyOf: anyOf.map((part) => translate(part, unionExtent)) }),
    ...(oneOf && { oneOf: oneOf.map((part) => translate(part, unionExtent)) }),
  };
  if (extent === 'part' || own.additionalProperties !== undefined) return combined;
  if (isAlone) return combined;
  const isCombined = parts.length > 0 || anyOf !== undefined || oneOf !== undefined;
  return { ...combined, [isCombined ? 'unevaluatedProperties' : 'additionalProperties']: false };
}

function ownMembers(schema: SchemaObject, options: StrictOptions): SchemaObject {
  const { type, items, additionalProperties } = schema;
  const isOurs = ([, member]: [string, Schema]) => !isOfOtherDirection(member, options);
  const properties = schema.properties && Object.entries(schema.properties).filter(isOurs);
  const foreign = Object.keys(schema.properties ?? {}).filter((name) => !properties?.some(([ours]) => ours === name));
  const required = schema.required?.filter((name) => !foreign.includes(name));
  const values = schema.enum?.filter((value) => value !== null);
  return {
    ...(type !== undefined && { type: [type].flat().filter((name) => name !== 'null') }),
    ...(values && { enum: values }),
    ...(properties && {
      properties: Object.fromEntries(properties.map(([name, member]) => [name, strictSchema(member, options)])),
    }),
    ...(required && { required }),
    ...(items !== undefined && { items: strictSchema(items, options) }),
    ...(additionalProperties !== undefined && { additionalProperties: strictSchema(additionalProperties, options) }),
  };
}

function isOfOtherDirection(member: Schema, { direction, resolve }: StrictOptions): boolean {
  if (typeof member === 'boolean') return false;
  const mark = direction === 'request' ? 'readOnly' : 'writeOnly';
  if (member[mark] === true) return true;
  const target = member.$ref === undefined ? undefined : resolve(member.$ref);
  return typeof target === 'object' && target[mark] === true;
}

/**
 * OpenAPI 3.0 says `nullable`; 3.1 says `type: [string, 'null']`, and documents put that beside references and lists of
 * values that do not allow null by themselves.
 */
function isNullable({ nullable, type, enum: values }: SchemaObject): boolean {
  return nullable === true || [type].flat().includes('null') || (type === undefined && values?.includes(null) === true);
}

function orNull(schema: SchemaObject): SchemaObject {
  const { type, ...rest } = schema;
  if (type?.length === 0)
    return Object.keys(rest).length === 0 ? { type: 'null' } : { anyOf: [{ type: 'null' }, rest] };
  return { anyOf: [{ type: 'null' }, schema] };
}
