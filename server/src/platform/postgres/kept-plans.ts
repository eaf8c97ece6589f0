import type { Queryable } from './database.ts';
import { forgetPlans } from './plan-once.ts';
import type { Statement } from './statement.ts';

/** A plan for tables that have grown meanwhile is used for no longer than this. */
const defaultKeepMs = 10_000;

/**
 * Runs statements on a pool of one connection that keeps its plans (`indexed-kept`), and discards them every ten seconds: a plan that
 * was made while a table was small may use another index than the right one (docs/decisions, Query plans).
 */
export class KeptPlans implements Queryable {
  readonly #database: Queryable;
  readonly #keepMs: number;
  #discardedAtMs = performance.now();

  constructor(database: Queryable, keepMs: number = defaultKeepMs) {
    this.#database = database;
    this.#keepMs = keepMs;
  }

  async run<Row>(statement: Statement<Row>, values: readonly unknown[] = []): Promise<Row[]> {
    const nowMs = performance.now();
    if (nowMs - this.#discardedAtMs > this.#keepMs) {
      this.#discardedAtMs = nowMs;
      await this.#database.run(forgetPlans);
    }
    return this.#database.run(statement, values);
  }
}
