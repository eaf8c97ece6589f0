import type { TSchema } from 'typebox';

/** A JSON Schema of the document. */
export type Json = { [keyword: string]: unknown };

/** The name of a schema in the document. */
export const nameOf = (schema: TSchema): string | undefined => (schema as Json).$id as string | undefined;

/** The named schemas of the document. A schema with an `$id` is written once, and referred to wherever it appears. */
export class DocumentSchemas {
  /** The schemas that were referred to, by name. */
  readonly used: Record<string, Json> = {};

  /** The schema as the document shows it: a reference if it has a name. */
  refer(schema: TSchema): Json {
    const { description, ...rest } = schema as Json;
    const name = nameOf(schema);
    if (name === undefined) return this.#written(schema as Json);
    // The description of an enumeration is that of the field which has it.
    if (!('enum' in rest)) return this.add(name, () => this.#written(schema as Json));
    return { ...this.add(name, () => this.#written(rest)), ...(description !== undefined && { description }) };
  }

  /** Writes a schema under a name, once, and returns the reference to it. Throws if the name has other content. */
  add(name: string, write: () => Json): Json {
    const known = this.used[name];
    if (known === undefined) this.used[name] = write();
    else if (JSON.stringify(known) !== JSON.stringify(write())) {
      throw new Error(`The document would have two schemas named ${name}.`);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  #written(schema: Json, property = ''): Json {
    const {
      $id,
      title,
      properties,
      items,
      anyOf,
      documented,
      if: condition,
      then: consequence,
      else: otherwise,
      ...rest
    } = schema;
    const description = descriptionOf(schema);
    const alternatives = anyOf as TSchema[] | undefined;
    const isNullable = alternatives?.some(isNull) === true;
    const written = {
      ...rest,
      ...(isNull(rest) && { type: ['object', 'null'], maxProperties: 0 }),
      ...typeAndFormat(rest, property),
      // What generators need otherwise than validation does.
      ...(documented as Json | undefined),
      ...(description !== undefined && { description }),
      ...(properties !== undefined && { properties: this.#properties(properties as Record<string, TSchema>) }),
      ...(items !== undefined && { items: this.refer(items as TSchema) }),
    };
    if (alternatives === undefined) return written;
    // Written out instead of referred to where null is added, because a reference cannot be extended.
    const parts = alternatives
      .filter((one) => !isNull(one))
      .map((one) => (isNullable ? this.#written(one as Json, property) : this.#part(one, property)));
    const whole = parts.length === 1 ? { ...parts[0], ...written } : { ...written, anyOf: parts };
    return isNullable ? orNull(whole) : whole;
  }

  #properties(properties: Record<string, TSchema>): Json {
    return Object.fromEntries(Object.entries(properties).map(([name, shape]) => [name, this.#part(shape, name)]));
  }

  #part(schema: TSchema, property: string): Json {
    return nameOf(schema) === undefined ? this.#written(schema as Json, property) : this.refer(schema);
  }

  /** The schema of a parameter or a field, with the formats that follow from its name. */
  field(name: string, schema: TSchema): Json {
    return this.#part(schema, name);
  }
}

const isNull = (schema: unknown): boolean => (schema as Json).type === 'null';

/**
 * The description, with what validation states by rules over several fields. The document states no such rules:
 * generators make types of them that do not compile.
 */
function descriptionOf({ title, description, else: otherwise }: Json): string | undefined {
  // A title completes the sentence of a refusal; generators would make it the name of a type.
  const own = description ?? (typeof title === 'string' ? sentence(title) : undefined);
  const { required } = (otherwise ?? {}) as { required?: string[] };
  const rule = required && `Without \`id\` it creates, and needs ${required.map((name) => `\`${name}\``).join(', ')}.`;
  return [own, rule].filter(Boolean).join(' ') || undefined;
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** The schema that admits null too, in its types: generators stop at a schema of null alone. */
export function orNull(schema: Json): Json {
  const { type, anyOf, enum: values, const: value, ...rest } = schema as Nullable;
  if (anyOf !== undefined) {
    const [first = {}, ...others] = anyOf;
    return { ...rest, anyOf: [orNull(first), ...others] };
  }
  // Of booleans there is no enumeration with null that generators understand.
  const admitted = values ?? (value === undefined || typeof value === 'boolean' ? undefined : [value]);
  return {
    ...rest,
    ...(type !== undefined && { type: [...new Set([type, 'null'].flat())] }),
    ...(admitted !== undefined && { enum: [...new Set([...admitted, null])] }),
  };
}

interface Nullable {
  type?: string | string[];
  anyOf?: Json[];
  enum?: unknown[];
  const?: unknown;
}

const formatsOfNames: readonly [RegExp, string][] = [
  [/(Time|Since|Until|^time)$/, 'date-time'],
  [/^(periodStart|periodEnd|trialEnd|promoteAt|since|until)$/, 'date-time'],
  [/(Date|^day)$/, 'date'],
  [/(^u|U)r[il]$/, 'uri'],
  [/^email$/, 'email'],
];

/**
 * What generators need and validation does without: the type of an enumeration, the size of an integer, and the format
 * that follows from the name of a field. All times end in `Time`.
 */
function typeAndFormat({ type, format, maxLength, enum: words, const: value, maximum }: Json, property: string): Json {
  if (Array.isArray(words) && type === undefined && words.every((word) => typeof word === 'string')) {
    return { type: 'string' };
  }
  if (Number.isSafeInteger(value)) return { type: 'integer', format: 'int32' };
  if (type === 'integer') {
    return { format: typeof maximum === 'number' && maximum < 2 ** 31 ? 'int32' : 'int64' };
  }
  if (type !== 'string' || format !== undefined) return {};
  const [, named] = formatsOfNames.find(([names]) => names.test(property)) ?? [];
  // Inputs are limited in length, and declare the format that is enforced; URLs are taken apart instead.
  return named === undefined || (maxLength !== undefined && named !== 'uri') ? {} : { format: named };
}
