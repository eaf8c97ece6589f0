/**
 * A CTE of a statement, with its columns, for SQL fragments that read it. More columns than a fragment reads are fine;
 * the compiler finds a missing one.
 */
export interface Relation<Column extends string> {
  name: string;
  /** `name as (…)`. */
  cte: string;
  /** Only for the compiler. */
  has?: (column: Column) => void;
}

/** Declares a CTE by the SQL of each of its columns. */
export function relation<const Columns extends Readonly<Record<string, string>>>(
  name: string,
  columns: Columns,
  from: string,
): Relation<keyof Columns & string> {
  return { name, cte: `${name} as (select ${selected(columns)} ${from})` };
}

/** The same, of the rows that a statement changes. */
export function returning<const Columns extends Readonly<Record<string, string>>>(
  name: string,
  change: string,
  columns: Columns,
): Relation<keyof Columns & string> {
  return { name, cte: `${name} as (${change} returning ${selected(columns)})` };
}

function selected(columns: Readonly<Record<string, string>>): string {
  const isNamed = ([as, sql]: [string, string]) => sql === as || sql.endsWith(`.${as}`);
  return Object.entries(columns)
    .map((column) => (isNamed(column) ? column[1] : `${column[1]} as ${column[0]}`))
    .join(', ');
}

/** Columns that have the same name in `table`, or in the relation that is read. */
export function same<const Name extends string>(names: readonly Name[], table = ''): Record<Name, string> {
  const prefix = table === '' ? '' : `${table}.`;
  return Object.fromEntries(names.map((name) => [name, `${prefix}${name}`])) as Record<Name, string>;
}
