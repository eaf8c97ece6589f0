import type { Topic } from './notifications/topics.ts';

/** A topic that a statement makes due: always, or if `when` accepts its rows. Published after the commit (`topics.ts`). */
export interface Wake<Row> {
  topic: Topic;
  when?(rows: readonly Row[]): boolean;
}

/** A named SQL statement, prepared once per connection. Values are $1, $2, …; rows are objects of type `Row`. */
export interface Statement<Row> {
  readonly name: string;
  readonly text: string;
  readonly wakes?: readonly Wake<Row>[] | undefined;
  /** Only for the compiler: the type of a row. */
  readonly row?: Row;
}

const declared: Statement<never>[] = [];

/** All statements of the loaded files, for checks that examine every statement. */
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

/** The topics that an execution with these rows makes due. */
export function topicsOf<Row>({ wakes }: Statement<Row>, rows: readonly Row[]): Topic[] {
  if (wakes === undefined) return [];
  return wakes.filter((wake) => wake.when?.(rows) ?? true).map(({ topic }) => topic);
}
