/**
 * A named SQL statement: prepared once per connection under its name, seen by that name in logs and in
 * pg_stat_activity. Values go in as $1, $2, …; rows come out as objects of `Row`.
 */
export interface Statement<Row> {
  readonly name: string;
  readonly text: string;
  /** Only for the compiler: the shape of a row. */
  readonly row?: Row;
}

export function statement<Row = never>(name: string, text: string): Statement<Row> {
  return { name, text };
}
