import type { Clock } from '../../vocabulary/clock.ts';
import type { Queryable } from './database.ts';
import { type Statement, statement } from './statement.ts';

/** Something that comes due in a table, and who works it off. */
export interface Watched {
  /** Part of the statement's column name: letters alone. */
  name: string;
  /** A query that gives a row where something may be due; `$1` is now in ms since the epoch. To be answered by an index. */
  due: string;
  /** Look now: something may be due. */
  wake: () => void;
}

export interface LookoutOptions {
  /** Of whose connections one is used. Its statement is planned once: `watching`. */
  database: Queryable;
  clock: Clock;
  watched: readonly Watched[];
  lookEveryMs?: number;
}

const usualLookMs = 100;
/** Whoever is watched looks by itself this often, should the lookout fail or see less than there is. */
export const watchedPollMs = 1_000;

/**
 * Looks for all who work by themselves whether anything is due to them, ten times a second: what other nodes wrote, and
 * what comes due by the clock. One statement for all, whose plan is kept: each for itself, the looks of a service at rest
 * were 78 statements a second, each planned anew, and a tenth of a processor.
 *
 * While the database is away it keeps silent: those who are watched look by themselves as well, and say so.
 */
export class Lookout {
  readonly #options: LookoutOptions;
  readonly #statement: Statement<Record<string, boolean>>;
  readonly #lookEveryMs: number;
  #running = false;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(options: LookoutOptions) {
    this.#options = options;
    this.#lookEveryMs = options.lookEveryMs ?? usualLookMs;
    const columns = options.watched.map(({ name, due }) => `exists (${due}) as "${name}"`);
    this.#statement = statement('lookout.look', `select ${columns.join(', ')}`);
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#lookLater(this.#lookEveryMs);
  }

  async stop(): Promise<void> {
    this.#running = false;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  #lookLater(waitMs: number): void {
    this.#timer = setTimeout(() => {
      this.#looking = this.#look().then((nextMs) => {
        if (this.#running) this.#lookLater(nextMs);
      });
    }, waitMs);
  }

  /** Never fails; gives back how long to wait. */
  async #look(): Promise<number> {
    const { database, clock, watched } = this.#options;
    try {
      const [seen] = await database.run(this.#statement, [clock()]);
      for (const { name, wake } of watched) if (this.#running && seen?.[name]) wake();
      return this.#lookEveryMs;
    } catch {
      return watchedPollMs;
    }
  }
}
