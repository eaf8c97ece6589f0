import type { TSchema } from 'typebox';

/** A JSON Schema of the document. */
export type Json = { [keyword: string]: unknown };

const textOf = (schema: unknown) => JSON.stringify(schema);

/**
 * The named schemas of the document. A schema that a module has named is written once, under that name, and referred to
 * wherever it appears: recognised by its content, because TypeBox copies a schema to mark it as optional.
 */
export class DocumentSchemas {
  /** The schemas that were referred to, by name. */
  readonly used: Record<string, Json> = {};
  readonly #nameOf = new Map<string, string>();
  readonly #named: ReadonlyMap<string, TSchema>;

  /** Throws when two schemas have the same name. A schema that has two names is referred to by the first. */
  constructor(named: readonly Readonly<Record<string, TSchema>>[]) {
    const entries = named.flatMap((schemas) => Object.entries(schemas));
    this.#named = new Map(entries);
    for (const [name, schema] of entries) {
      const text = textOf(schema);
      if (textOf(this.#named.get(name)) !== text) throw new Error(`Two schemas are named ${name}.`);
      if (!this.#nameOf.has(text)) this.#nameOf.set(text, name);
    }
  }

  /** The name that a module gave to the schema. */
  nameOf(schema: TSchema): string | undefined {
    return this.#nameOf.get(textOf(schema));
  }

  /** The schema as the document shows it: a reference if it has a name. */
  refer(schema: TSchema): Json {
    const name = this.nameOf(schema);
    return name === undefined ? this.#written(schema as Json) : this.add(name, () => this.#written(schema as Json));
  }

  /** Writes a schema under a name, once, and returns the reference to it. Throws if the name has other content. */
  add(name: string, write: () => Json): Json {
    const known = this.used[name];
    if (known === undefined) this.used[name] = write();
    else if (!this.#named.has(name) && textOf(known) !== textOf(write())) {
      throw new Error(`The document would have two schemas named ${name}.`);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  #written(schema: Json, property = ''): Json {
    const { title, properties, items, anyOf, documented, ...rest } = schema;
    return withoutUnionOfNull({
      ...rest,
      ...typeAndFormat(rest, property),
      // Rules that the route enforces itself, with a clearer refusal than validation would give.
      ...(documented as Json | undefined),
      // A title completes the sentence of a refusal; generators would make it the name of a type.
      ...(typeof title === 'string' && rest.description === undefined && { description: sentence(title) }),
      ...(properties !== undefined && { properties: this.#properties(properties as Record<string, TSchema>) }),
      ...(items !== undefined && { items: this.refer(items as TSchema) }),
      ...(anyOf !== undefined && { anyOf: (anyOf as TSchema[]).map((one) => this.#part(one, property)) }),
    });
  }

  #properties(properties: Record<string, TSchema>): Json {
    return Object.fromEntries(Object.entries(properties).map(([name, shape]) => [name, this.#part(shape, name)]));
  }

  #part(schema: TSchema, property: string): Json {
    return this.nameOf(schema) === undefined ? this.#written(schema as Json, property) : this.refer(schema);
  }

  /** The schema of a parameter or a field, with the formats that follow from its name. */
  field(name: string, schema: TSchema): Json {
    return this.#part(schema, name);
  }
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

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
function typeAndFormat({ type, format, maxLength, enum: words, maximum }: Json, property: string): Json {
  if (Array.isArray(words) && type === undefined && words.every((word) => typeof word === 'string')) {
    return { type: 'string' };
  }
  if (type === 'integer') {
    return { format: typeof maximum === 'number' && maximum < 2 ** 31 ? 'int32' : 'int64' };
  }
  if (type !== 'string' || format !== undefined) return {};
  const [, named] = formatsOfNames.find(([names]) => names.test(property)) ?? [];
  // Inputs are limited in length, and declare the format that is enforced; URLs are taken apart instead.
  return named === undefined || (maxLength !== undefined && named !== 'uri') ? {} : { format: named };
}

/** `anyOf` of a plain type and null becomes one schema of both types, which generators and people read more easily. */
function withoutUnionOfNull(schema: Json): Json {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || anyOf[1].type !== 'null') return schema;
  const [one] = anyOf as [Json];
  if (typeof one.type !== 'string' || one.enum !== undefined || one.const !== undefined) return schema;
  return { ...one, ...rest, type: [one.type, 'null'] };
}
