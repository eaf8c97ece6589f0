import type { TSchema } from 'typebox';

/** A field before and after a change. `before` is absent where the record was created. */
interface FieldChange {
  before?: unknown;
  after: unknown;
}

export type Changes = Readonly<Record<string, FieldChange>>;

/** Secret fields that a request sets or clears, by name. Their values never reach the audit log. */
export type SecretsGiven = Readonly<Record<string, 'set' | 'cleared'>>;

const mask = '***';

/** Not recorded: they follow from the change itself. */
const derivedFields = new Set(['id', 'version', 'createdTime', 'updatedTime']);

type ApiRecord = Readonly<Record<string, unknown>>;

/** The fields that differ between two API records, which hold no secrets, and the secrets given, masked. */
export function changesOf(
  before: ApiRecord | undefined,
  after: ApiRecord | undefined,
  secrets: SecretsGiven = {},
): Changes {
  const changes: Record<string, FieldChange> = {};
  for (const name of new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])) {
    if (derivedFields.has(name)) continue;
    const [was, is] = [before?.[name] ?? null, after?.[name] ?? null];
    if (JSON.stringify(was) === JSON.stringify(is)) continue;
    changes[name] = before === undefined ? { after: is } : { before: was, after: is };
  }
  for (const [name, given] of Object.entries(secrets)) changes[name] = { after: given === 'set' ? mask : null };
  return changes;
}

/** Whether a schema declares its value as a secret: it is accepted and never returned. */
function isSecret(schema: TSchema): boolean {
  const { writeOnly, anyOf = [] } = schema as { writeOnly?: boolean; anyOf?: TSchema[] };
  return writeOnly === true || anyOf.some(isSecret);
}

/** The names of the fields that an input schema declares as secrets (`writeOnly`). */
export function secretFieldsOf(schema: TSchema): string[] {
  const { properties = {}, anyOf = [] } = schema as { properties?: Record<string, TSchema>; anyOf?: TSchema[] };
  const own = Object.entries(properties).flatMap(([name, field]) => (isSecret(field) ? [name] : []));
  return [...own, ...anyOf.flatMap(secretFieldsOf)];
}

/** Which secret fields an input sets, or clears with null or an empty text. */
export function secretsGiven(schema: TSchema, input: object): SecretsGiven {
  const values = input as Record<string, unknown>;
  const given = secretFieldsOf(schema).filter((name) => values[name] !== undefined);
  return Object.fromEntries(
    given.map((name) => [name, values[name] === null || values[name] === '' ? 'cleared' : 'set'] as const),
  );
}
