/** Names a kind of work that can become due, such as `deliveries`: one lower-case word, part of a NOTIFY payload. */
export type Topic = string;

/**
 * A topic that a statement makes due: always, or if `when` accepts its rows. Published after the commit (`bus/bus.ts`).
 */
export interface Wake<Row> {
  topic: Topic;
  when?(rows: readonly Row[]): boolean;
}

/** Names a cache by the records that it holds, such as `channels`: one lower-case word, part of a NOTIFY payload. */
export type CacheName = string;

/** An entry of a cache, in all processes. */
export interface Invalidation {
  cache: CacheName;
  key: string | number;
}

/**
 * The cached values that an execution changes: one for each row that it returns. Every process drops them when the
 * transaction commits. A transaction that notifies others commits under a lock of the whole database, so no statement
 * that runs for every create, settlement or delivery may invalidate.
 */
export interface Invalidates<Row> {
  cache: CacheName;
  /** Undefined: this row changes nothing that is cached. */
  key(row: Row): string | number | undefined;
}

/** A named SQL statement, prepared once per connection. Values are $1, $2, …; rows are objects of type `Row`. */
export interface Statement<Row> {
  readonly name: string;
  readonly text: string;
  readonly wakes?: readonly Wake<Row>[] | undefined;
  /** Such a statement runs only in a transaction. */
  readonly invalidates?: Invalidates<Row> | undefined;
  /** Only for the compiler: the type of a row. */
  readonly row?: Row;
}

const declared: Statement<never>[] = [];

/** All statements of the loaded files, for checks that examine every statement. */
export const allStatements: readonly Statement<never>[] = declared;

export function statement<Row = never>(
  name: string,
  text: string,
  { wakes, invalidates }: { wakes?: readonly Wake<Row>[]; invalidates?: Invalidates<Row> } = {},
): Statement<Row> {
  const made: Statement<Row> = { name, text, wakes, invalidates };
  declared.push(made as Statement<never>);
  return made;
}

/** The topics that an execution with these rows makes due. */
export function topicsOf<Row>({ wakes }: Statement<Row>, rows: readonly Row[]): Topic[] {
  if (wakes === undefined) return [];
  return wakes.filter((wake) => wake.when?.(rows) ?? true).map(({ topic }) => topic);
}

/** The cached values that an execution with these rows changes. */
export function invalidationsOf<Row>({ invalidates }: Statement<Row>, rows: readonly Row[]): Invalidation[] {
  if (invalidates === undefined) return [];
  const { cache } = invalidates;
  return rows.flatMap((row) => {
    const key = invalidates.key(row);
    return key === undefined ? [] : [{ cache, key }];
  });
}
