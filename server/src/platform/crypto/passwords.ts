import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { Refusal } from '../../core/errors.ts';
import { rule } from '../../core/refusal-rules.ts';
import { RoundRobinQueue } from '../concurrency/round-robin-queue.ts';

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

/**
 * How a password compares with a stored hash. `outdated`: it is the same, but the hash was made of another Unicode form
 * of it, and should be replaced by a new one.
 */
export type PasswordComparison = 'same' | 'outdated' | 'different';

interface Waiting {
  proceed: () => void;
  refuse: (refusal: Refusal) => void;
}

/**
 * Hashes and verifies passwords with limited concurrency, so that many logins use bounded memory and time. Callers are
 * served in turn: one that needs many hashes delays another by one hash. When the queue is full, a hash of the caller
 * with the most waiting hashes is refused.
 */
export class Passwords {
  readonly #cost: PasswordCost;
  readonly #concurrency: number;
  readonly #maxQueued: number;
  readonly #waiting = new RoundRobinQueue<Waiting>();
  /** The password of an unknown account is compared with this hash, so that it takes as long as that of a known one. */
  readonly #dummy: Promise<string>;
  #running = 0;
  #computed = 0;

  constructor({ cost = recommendedCost, concurrency = 2, maxQueued = 300 }: PasswordsOptions = {}) {
    this.#cost = cost;
    this.#concurrency = concurrency;
    this.#maxQueued = maxQueued;
    this.#dummy = hash(randomBytes(32), cost);
    this.#dummy.catch(() => {}); // Reported by `verify`.
  }

  /**
   * Returns the PHC string to store, of the password in NFC (RFC 8265, section 4.2): keyboards differ in how they
   * compose an accented letter. Callers are served in turn; `caller` identifies them, by address for example. Refuses
   * with `overloaded` when too many hashes are waiting.
   */
  hash(password: string, caller = ''): Promise<string> {
    return this.#withSlot(caller, () => hash(password.normalize('NFC'), this.#cost));
  }

  /** Whether the password matches `stored`. With undefined (an unknown account) it takes as long and returns false. */
  async verify(stored: string | undefined, password: string, caller = ''): Promise<boolean> {
    return (await this.compare(stored, password, caller)) !== 'different';
  }

  /**
   * As `verify`. A password that does not match in NFC is compared as it was typed, too: older hashes were made of
   * that.
   */
  compare(stored: string | undefined, password: string, caller = ''): Promise<PasswordComparison> {
    return this.#withSlot(caller, async () => {
      const compared = stored ?? (await this.#dummy);
      const normalized = password.normalize('NFC');
      const matches = await verify(compared, normalized);
      const matchesAsTyped = !matches && password !== normalized && (await verify(compared, password));
      if (stored === undefined || !(matches || matchesAsTyped)) return 'different';
      return matches ? 'same' : 'outdated';
    });
  }

  /** Number of hashes computed so far. */
  get computed(): number {
    return this.#computed;
  }

  async #withSlot<Result>(caller: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= this.#concurrency) await this.#waitForSlot(caller);
    else this.#running++;
    try {
      this.#computed++;
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next.proceed(); // The slot passes to the next: #running stays the same.
    }
  }

  #waitForSlot(caller: string): Promise<void> {
    if (this.#waiting.size >= this.#maxQueued) {
      const dropped = this.#waiting.dropFromLongest(this.#waiting.sizeOf(caller) + 1);
      if (dropped === undefined) throw queueFull();
      dropped.refuse(queueFull());
    }
    return new Promise((proceed, refuse) => this.#waiting.push(caller, { proceed, refuse }));
  }
}

function queueFull(): Refusal {
  return new Refusal('overloaded', rule('passwords_wait'), {
    retryAfterSeconds: 1,
  });
}
