import { Refusal } from '../../core/errors.ts';
import { rule } from '../../core/refusal-rules.ts';
import type { Queryable } from './database.ts';
import type { Statement } from './statement.ts';

export interface LimitedDatabaseOptions {
  database: Queryable;
  /** Statements that run at once. */
  concurrency: number;
  /** Statements that may wait. Default: 500, as for a connection. */
  maxWaiting?: number;
  /** The longest time that one waits, in ms. Default: 3,000, as for a connection. */
  maxWaitMs?: number;
}

/**
 * Runs only a few statements at once, so that long ones leave connections to the other users of a pool. The rest wait
 * in order of arrival. A statement that finds too many waiting, or has waited too long, is refused as `overloaded`.
 */
export class LimitedDatabase implements Queryable {
  readonly #options: Required<LimitedDatabaseOptions>;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor({ maxWaiting = 500, maxWaitMs = 3_000, ...options }: LimitedDatabaseOptions) {
    this.#options = { maxWaiting, maxWaitMs, ...options };
  }

  /** Statements that wait for their turn. */
  get waiting(): number {
    return this.#waiting.size;
  }

  async run<Row>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row[]> {
    if (this.#running < this.#options.concurrency) this.#running++;
    else await this.#waitForTurn();
    try {
      return await this.#options.database.run(statement, values);
    } finally {
      this.#startNext();
    }
  }

  #waitForTurn(): Promise<void> {
    const { maxWaiting, maxWaitMs } = this.#options;
    if (this.#waiting.size >= maxWaiting) throw overloaded();
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(begin);
        reject(overloaded());
      }, maxWaitMs);
      this.#waiting.add(begin);
    });
  }

  #startNext(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#running--;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

const overloaded = () =>
  new Refusal('overloaded', rule('too_many_lists'), {
    retryAfterSeconds: 1,
  });
