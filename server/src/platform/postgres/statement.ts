import type { Topic } from './topics.ts';

/** Work that a statement makes due: always, or when its rows say so. Published after the commit (`topics.ts`). */
export interface Wake<Row> {
  topic: Topic;
  when?(rows: readonly Row[]): boolean;
}

/**
 * A named SQL statement: prepared once per connection under its name, seen by that name in logs and in
 * pg_stat_activity. Values go in as $1, $2, …; rows come out as objects of `Row`.
 */
export interface Statement<Row> {
  readonly name: string;
  readonly text: string;
  readonly wakes?: readonly Wake<Row>[] | undefined;
  /** Only for the compiler: the shape of a row. */
  readonly row?: Row;
}

const declared: Statement<never>[] = [];

/** Every statement of the modules that have been loaded: for the checks that look at all of them. */
export const allStatements: readonly Statement<never>[] = declared;

export function statement<Row = never>(
  name: string,
  text: string,
  { wakes }: { wakes?: readonly Wake<Row>[] } = {},
): Statement<Row> {
  const made: Statement<Row> = { name, text, wakes };
  declared.push(made as Statement<never>);
  return made;
}

/** The topics that an execution has made due. */
export function topicsOf<Row>({ wakes }: Statement<Row>, rows: readonly Row[]): Topic[] {
  if (wakes === undefined) return [];
  return wakes.filter((wake) => wake.when?.(rows) ?? true).map(({ topic }) => topic);
}
