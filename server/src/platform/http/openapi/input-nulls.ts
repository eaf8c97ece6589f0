import { type Json, orNull } from './schemas.ts';

type Paths = Readonly<Record<string, Json>>;
type Components = Readonly<Record<string, Json>>;

/**
 * States in the schemas of requests what `nullsRemoverOf` does: an optional field may be null, which counts as not
 * given. `x-null-means-absent` distinguishes such a null from one that the schema admits itself because it clears the
 * field. Changes the components in place.
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
    const changed = withNulls(schema, components);
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

function withNulls(schema: Json, components: Components): Json {
  const { properties, items, anyOf, required = [] } = schema as Shape;
  const inner = (one: Json) => withNulls(one, components);
  return {
    ...schema,
    ...(anyOf !== undefined && properties === undefined && { anyOf: anyOf.map(inner) }),
    ...(items !== undefined && { items: inner(items) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [
          name,
          required.includes(name) ? inner(field) : orAbsent(inner(field), components),
        ]),
      ),
    }),
  };
}

interface Shape {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Json>;
  items?: Json;
  anyOf?: Json[];
  required?: string[];
}

function orAbsent(schema: Json, components: Components): Json {
  const { $ref, ...own } = schema as Shape;
  // Written out, because a reference cannot be extended by null.
  if ($ref !== undefined) return orAbsent({ ...components[$ref.split('/').at(-1) as string], ...own }, components);
  return admitsNull(schema) || !('type' in schema || 'anyOf' in schema)
    ? schema
    : { ...orNull(schema), 'x-null-means-absent': true };
}

function admitsNull({ type, anyOf = [] }: Shape): boolean {
  return [type].flat().includes('null') || anyOf.some(admitsNull);
}
