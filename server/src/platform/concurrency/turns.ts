import { RoundRobinQueue } from './round-robin-queue.ts';

export interface TurnsOptions {
  /** Pieces of work that run at once. */
  concurrency: number;
  /** How many may wait; a further one takes the place of the newest of the key that has the most. */
  maxWaiting: number;
}

interface Waiting {
  begin: () => void;
  drop: () => void;
}

/** Runs a few pieces of work at once. The rest wait, and keys (tenants) take turns. */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #waiting = new RoundRobinQueue<Waiting>();
  #running = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** Runs `work` when its turn comes; undefined if too many wait. */
  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#running < this.#options.concurrency) this.#running++;
    else if (!(await this.#turnOf(key))) return undefined;
    try {
      return await work();
    } finally {
      this.#startNext();
    }
  }

  /** False: another one has taken the place. */
  #turnOf(key: string): Promise<boolean> {
    return new Promise((resolve) => {
      this.#waiting.push(key, { begin: () => resolve(true), drop: () => resolve(false) });
      if (this.#waiting.size > this.#options.maxWaiting) this.#waiting.dropFromLongest(0)?.drop();
    });
  }

  #startNext(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next.begin();
  }
}
