/**
 * Rules over several fields of a body, for `documented` in its schema: the OpenAPI document states them, and the route enforces
 * them with a clearer refusal. They use keywords that generators of types leave alone.
 */
interface Rule {
  required?: string[];
  properties?: Readonly<Record<string, unknown>>;
  not?: unknown;
  allOf?: Rule[];
}

/** All of these fields are given: present and not null (`openapi/input-nulls.ts`). */
export const given = (...fields: string[]): Rule => ({ required: fields });

/** None of these fields is given. */
export const absent = (...fields: string[]): Rule => ({
  properties: Object.fromEntries(fields.map((field) => [field, { type: 'null' }])),
});

/** None of these fields is there, not even as null, which would clear it. */
export const untouched = (...fields: string[]): Rule => ({
  properties: Object.fromEntries(fields.map((field) => [field, false])),
});

/** All of these rules hold. */
export const both = (...rules: Rule[]): Rule => ({ allOf: rules });

/** None of these rules holds. */
export const never = (...rules: Rule[]): Rule => ({ not: rules.length === 1 ? rules[0] : { anyOf: rules } });

/** The pattern of a text that lists some of these names, separated by commas and, if wanted, spaces. */
export function listPattern(names: readonly string[]): string {
  const name = `(?:${names.map((one) => one.replace('*', '\\*')).join('|')})`;
  return `^ *${name}(?: *, *${name})* *$`;
}
