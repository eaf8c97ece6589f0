import { parse } from 'node:querystring';

/**
 * Parses a query string. `metadata[order]=7` becomes `{ metadata: { order: '7' } }`: an object in the notation that
 * OpenAPI calls `deepObject`. Objects are one level deep and have no prototype.
 */
export function parseQuery(text: string): Record<string, unknown> {
  const query: Record<string, unknown> = Object.create(null);
  if (text === '') return query;
  for (const [name, value] of Object.entries(parse(text))) {
    const [, outer, inner] = /^([^[\]]+)\[([^[\]]+)\]$/.exec(name) ?? [];
    if (outer === undefined || inner === undefined) query[name] = value;
    else query[outer] = withField(query[outer], inner, value);
  }
  return query;
}

/** A text that was given under the same name is replaced; the object is then checked as usual. */
function withField(object: unknown, name: string, value: unknown): Record<string, unknown> {
  const fields: Record<string, unknown> = Object.create(null);
  if (typeof object === 'object' && !Array.isArray(object)) Object.assign(fields, object);
  fields[name] = value;
  return fields;
}
