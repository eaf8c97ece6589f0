import type { Json } from './schemas.ts';

type Paths = Readonly<Record<string, Json>>;
type Components = Readonly<Record<string, Json>>;

/**
 * States in the schemas of requests what `nullsRemoverOf` does: an optional field may be null, which counts as not given.
 * `x-null-means-absent` distinguishes such a null from one that the schema admits itself because it clears the field. Rules
 * over several fields count a null as absent too. Changes the components in place.
 *
 * Throws when a schema with optional fields is part of requests and of answers, whose fields are not null.
 */
export function stateInputNulls(paths: Paths, webhooks: Json, components: Components): void {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods)) as Operation[];
  const bodies = operations.map(({ requestBody }) => requestBody);
  const inputs = componentsOf(bodies, components);
  const answers = componentsOf([webhooks, ...operations.map(({ responses }) => responses)], components);
  for (const name of inputs) {
    const schema = components[name] as Json;
    const changed = withNulls(schema);
    if (answers.has(name) && JSON.stringify(changed) !== JSON.stringify(schema)) {
      throw new Error(`${name} is the schema of a request and of an answer: name the two apart.`);
    }
    Object.assign(schema, changed);
  }
}

interface Operation {
  requestBody?: Json;
  responses?: Json;
}

/** The names of all components that these parts of the document lead to. */
function componentsOf(parts: readonly unknown[], components: Components): Set<string> {
  const found = new Set<string>();
  const pending: unknown[] = [...parts];
  while (pending.length > 0) {
    const text = JSON.stringify(pending.pop()) ?? '';
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (!found.has(name)) pending.push(components[name]);
      found.add(name);
    }
  }
  return found;
}

function withNulls(schema: Json): Json {
  const { properties, items, anyOf, required = [] } = schema as Shape;
  return {
    ...schema,
    ...(anyOf !== undefined && properties === undefined && { anyOf: anyOf.map(withNulls) }),
    ...(items !== undefined && { items: withNulls(items) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [
          name,
          required.includes(name) ? withNulls(field) : orNull(withNulls(field)),
        ]),
      ),
      ...rulesOf(schema),
    }),
  };
}

interface Shape {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Json>;
  items?: Json;
  anyOf?: Json[];
  enum?: unknown[];
  const?: unknown;
  description?: string;
  required?: string[];
}

function orNull(schema: Json): Json {
  const { $ref, type, anyOf, enum: values, const: value, description } = schema as Shape;
  const marked = { 'x-null-means-absent': true };
  if ($ref !== undefined) return { anyOf: [schema, { type: 'null' }], ...marked };
  if (anyOf !== undefined) {
    if (anyOf.some((one) => one.type === 'null')) return schema;
    return { ...schema, anyOf: [...anyOf, { type: 'null' }], ...marked };
  }
  if (type === undefined || type === 'null' || (Array.isArray(type) && type.includes('null'))) return schema;
  if (value !== undefined) {
    return { anyOf: [schema, { type: 'null' }], ...(description !== undefined && { description }), ...marked };
  }
  return { ...schema, type: [type, 'null'].flat(), ...(values && { enum: [...values, null] }), ...marked };
}

/** The rules over several fields, where null counts as absent. */
function rulesOf(schema: Json): Json {
  const rules = Object.entries(schema).filter(([keyword]) => ruleKeywords.includes(keyword));
  return Object.fromEntries(
    rules.map(([keyword, rule]) => [keyword, Array.isArray(rule) ? rule.map(givenRule) : givenRule(rule as Json)]),
  );
}

const ruleKeywords = ['if', 'then', 'else', 'not', 'anyOf', 'allOf'];

/** `required` of a rule means fields that are present and not null. */
function givenRule(rule: Json): Json {
  const { required = [], properties = {} } = rule as Shape;
  const given = required.filter((name) => properties[name] === undefined).map((name) => [name, notNull]);
  const all = { ...properties, ...Object.fromEntries(given) };
  // Said although it is so in JSON Schema: validators of OpenAPI take a schema with properties for one that has no others.
  const named = Object.keys(all).length > 0 && { properties: all, additionalProperties: true };
  return { ...rule, ...named, ...rulesOf(rule) };
}

const notNull = { not: { type: 'null' } };
