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
 * Argon2id with 19 MiB, two passes, one lane: the first choice of the OWASP password storage guide. The library's
 * default algorithm is argon2id.
 */
const recommendedCost: PasswordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export interface PasswordsOptions {
  /** Of each new hash. No setting leads here: only tests, which log in hundreds of times, take less than is recommended. */
  cost?: PasswordCost;
  /** Hashes computed at once: two leave half of the thread pool to everyone else. */
  concurrency?: number;
  /** Hashes waiting at most; one more is refused at once. */
  maxQueued?: number;
}

/** Hashes and verifies passwords, a few at a time: a flood of logins costs bounded memory and time. */
export class Passwords {
  readonly #cost: PasswordCost;
  readonly #concurrency: number;
  readonly #maxQueued: number;
  readonly #waiting: (() => void)[] = [];
  /** What an unknown account's password is held against, so that it takes as long as a known one's. */
  readonly #dummy: Promise<string>;
  #running = 0;
  #computed = 0;

  constructor({ cost = recommendedCost, concurrency = 2, maxQueued = 100 }: PasswordsOptions = {}) {
    this.#cost = cost;
    this.#concurrency = concurrency;
    this.#maxQueued = maxQueued;
    this.#dummy = hash(randomBytes(32), cost);
    this.#dummy.catch(() => {}); // Told to whoever verifies.
  }

  /** The PHC string to store. Refuses with `overloaded` when too many wait. */
  hash(password: string): Promise<string> {
    return this.#inTurn(() => hash(password, this.#cost));
  }

  /** Whether the password is the one behind `stored`; for `undefined` (nobody's) it works as long and says no. */
  verify(stored: string | undefined, password: string): Promise<boolean> {
    return this.#inTurn(async () => {
      const matches = await verify(stored ?? (await this.#dummy), password);
      return matches && stored !== undefined;
    });
  }

  /** How many hashes were computed for callers: a measure of the load they cause. */
  get computed(): number {
    return this.#computed;
  }

  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= this.#concurrency) await this.#turn();
    else this.#running++;
    try {
      this.#computed++;
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next(); // The turn passes on: #running stays.
    }
  }

  #turn(): Promise<void> {
    if (this.#waiting.length >= this.#maxQueued) {
      throw new Refusal('overloaded', 'Too many passwords are being checked just now. Try again shortly.', {
        retryAfterSeconds: 1,
      });
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
