import type { Database, Queryable } from '../postgres/database.ts';
import { statement } from '../postgres/statement.ts';

/** Deltas per statement: about a second of writes at full speed, and few enough that no other statement is delayed. */
export const maximumDeltas = 20_000;

/** Adds the changes gathered in one table of deltas to its totals, until none are left. */
export type Rollup = (database: Database) => Promise<void>;

export interface TotalsOptions {
  /** The name of the statement. */
  name: string;
  totals: string;
  deltas: string;
  /** The primary key of the totals; the deltas have the same columns. */
  key: readonly string[];
  /** Further totals of the same deltas, by another key. */
  further?: { totals: string; key: readonly string[] };
  /** The columns to add up. */
  sums: readonly string[];
}

/**
 * A rollup in one statement, so that a reader counts every change exactly once. Concurrent rollups take different
 * deltas and write the totals in the order of their key, so they cannot deadlock.
 */
export function rollupOf(options: TotalsOptions): (database: Queryable) => Promise<void> {
  const { name, totals, deltas, key, further, sums } = options;
  const rollUp = statement<{ rolled_up: number }>(
    name,
    `with taken as (
       delete from ${deltas}
        where ctid = any (array(select ctid from ${deltas} limit ${maximumDeltas} for update skip locked))
       returning *
     ), rolled_up as (${addTo(totals, key, sums)}
     )${further === undefined ? '' : `, rolled_up_further as (${addTo(further.totals, further.key, sums)})`}
     select count(*) as rolled_up from taken`,
  );
  return (database) => untilNoneLeft(async () => (await database.run(rollUp))[0]?.rolled_up);
}

/** SQL: adds the deltas of `taken` to totals. */
function addTo(totals: string, key: readonly string[], sums: readonly string[]): string {
  const keys = key.join(', ');
  return `
       insert into ${totals} as total (${keys}, ${sums.join(', ')})
       select ${keys}, ${sums.map((column) => `sum(${column})`).join(', ')}
         from taken
        group by ${keys}
        order by ${keys}
       on conflict (${keys})
       do update set ${sums.map((column) => `${column} = total.${column} + excluded.${column}`).join(', ')}`;
}

/** Repeats a rollup of at most `maximumDeltas` until it has taken fewer. */
export async function untilNoneLeft(rollUp: () => Promise<number | undefined>): Promise<void> {
  while ((await rollUp()) === maximumDeltas);
}
