import { invalid } from '../../core/errors.ts';
import { rule } from '../../core/refusal-rules.ts';
import type { Queryable } from '../postgres/database.ts';
import type { Statement } from '../postgres/statement.ts';

/** Maximum number of rows that a search may find. */
const mostFound = 1_000;

/** How many rows a search statement reads, one more than allowed to notice that there are too many. */
export const searchLimit = mostFound + 1;

/** The ids that a search has found; refused when there are too many to list in order. */
export function foundIds<Id>(rows: readonly { id: Id }[], field = 'search'): Id[] {
  if (rows.length > mostFound) {
    throw invalid(field, rule('too_many_found', { limit: mostFound }));
  }
  return rows.map(({ id }) => id);
}

/** The ids that a search finds; undefined without a text. */
export async function searchIds<Id>(
  database: Queryable,
  text: string | undefined,
  statement: Statement<{ id: Id }>,
  valuesOf: (text: string) => unknown[],
): Promise<Id[] | undefined> {
  return text === undefined ? undefined : foundIds(await database.run(statement, valuesOf(text)));
}

/** A pattern for LIKE: all texts that begin with this one. */
export const prefixPattern = (text: string) => `${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;

/** The text as a positive integer that JSON carries exactly; null if it is not one. */
export function integerOf(text: string): number | null {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  return value > 0 && Number.isSafeInteger(value) ? value : null;
}

/** The ids that both lookups found; undefined if the first was not made. */
export function inBoth<Id>(first: readonly Id[] | undefined, second: readonly Id[]): Id[] {
  const ids = new Set(first);
  return second.filter((id) => first === undefined || ids.has(id));
}
