import type { TOptional, TSchema } from 'typebox';
import { invalid } from '../../core/errors.ts';
import { rule } from '../../core/refusal-rules.ts';

/** The SQL types of filter values. */
type SqlType =
  | 'bigint'
  | 'text'
  | 'uuid'
  | 'uuid[]'
  | 'bigint[]'
  | 'text[]'
  | 'json'
  | 'date'
  | 'boolean'
  | 'boolean[]'
  | 'float8';

/** A filter of a list: its query parameter, and the condition that it puts on a row. */
export interface Filter<Field extends TSchema = TSchema> {
  /** The query parameter. Without one, the value comes from the list itself (`valuesOf`). */
  field?: TOptional<Field>;
  /** The SQL type of its value. */
  type: SqlType;
  /** The SQL condition on a row, given the SQL of the value. It holds for all rows if the value is null. */
  condition: (value: string) => string;
  /**
   * Whether the list knows the number of rows under this filter. Under a filter without a count, a list has no page
   * numbers and no total: it is paged by cursor. Default: true.
   */
  counted?: boolean;
  /** It distinguishes live from test, so that most rows pass. */
  isMode?: boolean;
}

/** For values that a statement uses elsewhere and that exclude no row. */
export const noCondition = () => 'true';

type Fields<Filters extends Record<string, Filter>> = {
  [Name in keyof Filters as Filters[Name] extends { field: TSchema } ? Name : never]: Filters[Name] extends {
    field: infer Field extends TSchema;
  }
    ? Field
    : never;
};

/** The SQL of a list's filters, for its statements. */
export interface FilterSql {
  /** The number of values. */
  size: number;
  /** The condition for a row to pass every filter that has a value. The values are parameters from `$first` on. */
  condition: (first: number) => string;
  /** The condition for a row to pass one filter, which has a value. */
  conditionOf: (name: string, first: number) => string;
}

/** The filters of a list (`listFilters`). */
export interface ListFilters<Filters extends Record<string, Filter>> extends FilterSql {
  /** The query parameters, for the schema of the route. */
  fields: Fields<Filters>;
  /** SQL of one value. */
  value: (name: keyof Filters & string, first: number) => string;
  /** The values in the order of the parameters; null where a filter is not used. Refuses `xFrom` above `xTo`. */
  valuesOf: (given: Readonly<Record<string, unknown>>) => unknown[];
  /** The filters in use, apart from that by mode. */
  usedIn: (given: Readonly<Record<string, unknown>>) => string[];
  /** The first filter in use whose rows are not counted. */
  uncountedIn: (given: Readonly<Record<string, unknown>>) => string | undefined;
}

/**
 * Declares the filters of a list once, so that the query parameters, the SQL and its values cannot disagree. A filter
 * that is not used costs nothing: values are known when a statement is planned (docs/decisions/database.md), so `null
 * is null or …` is left out.
 *
 *     const filters = listFilters({
 *       currency: { field: Type.Optional(currency), type: 'text', condition: (value) => `t.currency = ${value}` },
 *     });
 */
export function listFilters<const Filters extends Record<string, Filter>>(filters: Filters): ListFilters<Filters> {
  const entries = Object.entries(filters);
  const value = (name: string, first: number) => {
    const position = entries.findIndex(([known]) => known === name);
    return `$${first + position}::${filters[name]?.type}`;
  };
  const usedIn = (given: Readonly<Record<string, unknown>>) =>
    entries.filter(
      ([name, { condition, isMode = false }]) => condition !== noCondition && !isMode && (given[name] ?? null) !== null,
    );
  return {
    fields: Object.fromEntries(entries.flatMap(([name, { field }]) => (field ? [[name, field]] : []))) as never,
    size: entries.length,
    value,
    condition: (first) =>
      entries
        .map(([name, { condition }]) => `(${value(name, first)} is null or ${condition(value(name, first))})`)
        .join('\n         and '),
    valuesOf: (given) => {
      for (const [name] of entries) refuseEmptyRange(given, name);
      return entries.map(([name, { type }]) => parameterOf(given[name], type));
    },
    conditionOf: (name, first) => filters[name]?.condition(value(name, first)) ?? 'false',
    usedIn: (given) => usedIn(given).map(([name]) => name),
    uncountedIn: (given) => usedIn(given).find(([, { counted = true }]) => !counted)?.[0],
  };
}

/** An empty list would suggest that there are no such rows. The limits are numbers or days. */
function refuseEmptyRange(given: Readonly<Record<string, unknown>>, from: string): void {
  if (!from.endsWith('From')) return;
  const to = `${from.slice(0, -'From'.length)}To`;
  const [least, most] = [given[from], given[to]] as [number | undefined, number | undefined];
  if (least !== undefined && most !== undefined && least > most) {
    throw invalid(from, rule(typeof least === 'number' ? 'not_more_than' : 'not_after', { other: to }));
  }
}

const parameterOf = (given: unknown, type: SqlType) =>
  given !== undefined && type === 'json' ? JSON.stringify(given) : (given ?? null);
