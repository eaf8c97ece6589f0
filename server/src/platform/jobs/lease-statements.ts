import { minuteMs } from '../../core/clock.ts';
import type { Queryable } from '../postgres/database.ts';
import { type Statement, statement } from '../postgres/statement.ts';

/** How a worker ends and shortens the leases of its table. */
export interface LeaseStore {
  /**
   * Releases everything under these lease tokens. Called after a claim has failed: its statement may have been executed
   * although its answer was lost, and then no worker has what it claimed. Also called for a claim that ends after
   * `stop`.
   */
  release: (leases: readonly string[]) => Promise<unknown>;
  freeAll: () => Promise<unknown>;
  shortenWaits: () => Promise<unknown>;
}

export interface LeasedTableOptions {
  /** The table, with the columns `due_at`, `lease` and `leased_until`. */
  table: string;
  /** Prefix of the names of its statements: `callbacks`. */
  name: string;
  /** The condition on rows whose work is not done, as in the table's partial index on `due_at`. */
  open: string;
  /** The longest time in ms from now until an open row is due, as an SQL expression on its columns. */
  waitMs: string;
  /** Further assignments when a lease is released; `$2` is the length of a lease in ms. */
  onRelease?: string;
}

/** The statements that are the same for every table of work. */
export interface LeasedTable {
  table: string;
  name: string;
  /** Whether a row is due and not leased. `$1` is now in ms. */
  isDue: string;
  /** Whether `release` has a second value. */
  releaseUsesLeaseMs: boolean;
  /** Values: leases, and the length of a lease in ms if the table has `onRelease`. */
  release: Statement<never>;
  freeAll: Statement<never>;
  /** Values in ms: now, the length of a lease, the tolerance. */
  shortenWaits: Statement<never>;
}

/** A time further ahead than possible by more than this was written before the clock was set back. */
const toleranceMs = minuteMs;

export function leasedTable({ table, name, open, waitMs, onRelease }: LeasedTableOptions): LeasedTable {
  const endLease = 'lease = null, leased_until = null';
  return {
    table,
    name,
    isDue: `${open} and due_at <= to_timestamp($1::float8 / 1000)
        and (leased_until is null or leased_until <= to_timestamp($1::float8 / 1000))`,
    releaseUsesLeaseMs: onRelease !== undefined,
    release: statement(
      `${name}.release_leases`,
      `update ${table} set ${onRelease === undefined ? '' : `${onRelease}, `}${endLease}
        where ${open} and lease = any ($1::uuid[])`,
    ),
    freeAll: statement(`${name}.free_leases`, `update ${table} set ${endLease} where ${open} and lease is not null`),
    // The holder keeps its lease, so nothing is done twice.
    shortenWaits: statement(
      `${name}.shorten_waits`,
      `update ${table}
          set leased_until = case when lease is not null
                                 then least(leased_until, to_timestamp(($1::float8 + $2::float8) / 1000)) end,
              due_at = least(due_at, to_timestamp(($1::float8 + ${waitMs}) / 1000))
        where ${open}
          and (leased_until > to_timestamp(($1::float8 + $2::float8 + $3::float8) / 1000)
               or due_at > to_timestamp(($1::float8 + ${waitMs} + $3::float8) / 1000))`,
    ),
  };
}

export interface LeaseDeps {
  database: Queryable;
  clock: () => number;
  /** The length of a lease. */
  leaseMs: number;
}

export interface ClaimOptions<Row> {
  /** Columns of the primary key. */
  key: readonly (keyof Row & string)[];
  /** Columns to return. */
  returning: readonly (keyof Row & string)[];
  /** A further condition on a row `t`. */
  and?: string;
}

/**
 * Leases the due rows that have waited longest. Values: now and the end of the lease in ms, the most rows, the token of
 * the lease (`claimBy`).
 */
export function claimStatement<Row>(
  { table, name, isDue }: LeasedTable,
  { key, returning, and = 'true' }: ClaimOptions<Row>,
): Statement<Row> {
  return statement(
    `${name}.claim`,
    `with due as materialized (
       select ${key.join(', ')} from ${table} t
        where ${isDue} and ${and}
        order by due_at
        limit $3
          for update skip locked
     )
     update ${table} t
        set lease = $4, leased_until = to_timestamp($2::float8 / 1000)
       from due
      where ${key.map((column) => `t.${column} = due.${column}`).join(' and ')}
     returning ${returning.map((column) => `t.${column}`).join(', ')}`,
  );
}

export interface EndOptions {
  /** Columns of the primary key, which has two. */
  key: readonly [string, string];
  /** The state of work that is not done. */
  openState: string;
  /** The column with the time at which the work ended. */
  endedAt: string;
}

/**
 * Records the result of an attempt, fenced by the lease. Values: the key, the lease, the new state, the number of
 * attempts, when it is due again and now, both in ms.
 */
export function recordStatement(
  { table, name }: LeasedTable,
  { key, openState, endedAt }: EndOptions,
): Statement<never> {
  return statement(
    `${name}.record`,
    `update ${table}
        set state = $4, tries = $5, due_at = to_timestamp($6::float8 / 1000), lease = null, leased_until = null,
            ${endedAt} = case when $4 <> '${openState}' then to_timestamp($7::float8 / 1000) end
      where ${key[0]} = $1 and ${key[1]} = $2 and lease = $3`,
  );
}

/** Deletes work that ended before a time, for `deleteInBatches`. Values: the time in ms, the most rows. */
export function sweepStatement(
  { table, name }: LeasedTable,
  { key, openState, endedAt }: EndOptions,
): Statement<unknown> {
  return statement(
    `${name}.sweep`,
    `with old as materialized (
       select ${key.join(', ')} from ${table}
        where state <> '${openState}' and ${endedAt} < to_timestamp($1::float8 / 1000)
        order by ${endedAt}
        limit $2
     )
     delete from ${table} t using old where ${key.map((column) => `t.${column} = old.${column}`).join(' and ')}
     returning 1`,
  );
}

/** The `claim` of a `Worker`, by a `claimStatement`. */
export function claimBy<Row>(claim: Statement<Row>, { database, clock, leaseMs }: LeaseDeps) {
  return (room: number, lease: string): Promise<Row[]> => {
    const nowMs = clock();
    return database.run(claim, [nowMs, nowMs + leaseMs, room, lease]);
  };
}

/** The leases of one worker in its table. */
export function leasesOf(table: LeasedTable, { database, clock, leaseMs }: LeaseDeps): LeaseStore {
  return {
    release: (leases) => database.run(table.release, table.releaseUsesLeaseMs ? [leases, leaseMs] : [leases]),
    freeAll: () => database.run(table.freeAll),
    shortenWaits: () => database.run(table.shortenWaits, [clock(), leaseMs, toleranceMs]),
  };
}
