import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

/** Short at first, because the tables of a new database grow from nothing to thousands of pages within seconds. */
const firstCheckMs = 2_000;
const longestCheckMs = 60_000;

/**
 * How often the tables have grown to sixteen times their pages, summed over all. PostgreSQL itself discards plans when
 * a table was analysed.
 */
const countGrowth = statement<{ growth: number }>(
  'plans.count_growth',
  `select coalesce(sum(floor(log(16, 1 + pg_relation_size(oid) / 8192))), 0)::int as growth
     from pg_class where relkind = 'r' and relnamespace = current_schema::regnamespace`,
);

/**
 * Says when kept plans are too old: a plan that was made while a table was small may use another index than the right
 * one. The generation changes whenever a table has grown to sixteen times its size. It becomes part of the statement's
 * name and text, so that every connection plans it again, also behind a pooler that gives each transaction another one.
 */
export class PlanRenewal {
  readonly #database: Queryable;
  #generation = 0;
  #checkMs = firstCheckMs;
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Queryable) {
    this.#database = database;
  }

  get generation(): number {
    return this.#generation;
  }

  start(): void {
    this.#timer = setTimeout(() => this.#check(), this.#checkMs).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #check(): void {
    this.#database.run(countGrowth).then(
      ([row]) => this.#finishCheck(row?.growth ?? this.#generation),
      // An unavailable database has no tables to look at; the next check finds them.
      () => this.#finishCheck(this.#generation),
    );
  }

  #finishCheck(generation: number): void {
    this.#checkMs = generation === this.#generation ? Math.min(2 * this.#checkMs, longestCheckMs) : firstCheckMs;
    this.#generation = generation;
    if (this.#timer !== undefined) this.start();
  }
}
