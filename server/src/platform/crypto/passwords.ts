import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { Refusal } from '../../core/errors.ts';

export interface PasswordCost {
  /** In KiB. */
  memoryCost: number;
  timeCost: number;
  parallelism: number;
}

/**
 * Argon2id with 19 MiB, two iterations and a parallelism of one, as the OWASP password storage guide recommends. The
 * library's default algorithm is argon2id.
 */
const recommendedCost: PasswordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export interface PasswordsOptions {
  /** The cost of new hashes. Not a setting: only tests, which log in hundreds of times, use less than recommended. */
  cost?: PasswordCost;
  /** Hashes computed at once: two leave half of the thread pool to other work. */
  concurrency?: number;
  /** Maximum number of waiting hashes; further ones are refused. */
  maxQueued?: number;
}

/** Hashes and verifies passwords with limited concurrency, so that many logins use bounded memory and time. */
export class Passwords {
  readonly #cost: PasswordCost;
  readonly #concurrency: number;
  readonly #maxQueued: number;
  readonly #waiting: (() => void)[] = [];
  /** The password of an unknown account is compared with this hash, so that it takes as long as that of a known one. */
  readonly #dummy: Promise<string>;
  #running = 0;
  #computed = 0;

  constructor({ cost = recommendedCost, concurrency = 2, maxQueued = 100 }: PasswordsOptions = {}) {
    this.#cost = cost;
    this.#concurrency = concurrency;
    this.#maxQueued = maxQueued;
    this.#dummy = hash(randomBytes(32), cost);
    this.#dummy.catch(() => {}); // Reported by `verify`.
  }

  /** Returns the PHC string to store. Refuses with `overloaded` when too many are waiting. */
  hash(password: string): Promise<string> {
    return this.#withSlot(() => hash(password, this.#cost));
  }

  /** Whether the password matches `stored`. With undefined (an unknown account) it takes as long and returns false. */
  verify(stored: string | undefined, password: string): Promise<boolean> {
    return this.#withSlot(async () => {
      const matches = await verify(stored ?? (await this.#dummy), password);
      return matches && stored !== undefined;
    });
  }

  /** Number of hashes computed so far. */
  get computed(): number {
    return this.#computed;
  }

  async #withSlot<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= this.#concurrency) await this.#freeSlot();
    else this.#running++;
    try {
      this.#computed++;
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next(); // The slot passes to the next: #running stays the same.
    }
  }

  #freeSlot(): Promise<void> {
    if (this.#waiting.length >= this.#maxQueued) {
      throw new Refusal('overloaded', 'Too many passwords are being checked just now. Try again shortly.', {
        retryAfterSeconds: 1,
      });
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
