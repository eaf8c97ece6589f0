import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { type Clock, minuteMs } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import { accountKey } from './rules.ts';

/** decisions, Sessions: 10 failures in 15 minutes per account and address, then 429. */
const failuresAllowed = 10;
const windowMs = 15 * minuteMs;

export interface LoginFailuresOptions {
  clock: Clock;
  /** Pairs of account and address remembered at most; each costs an attacker a hash. */
  remembered?: number;
  /** Logins that may wait for others of the same account and address, over all of them. */
  maxWaiting?: number;
}

interface Tally {
  failedAtMs: number[];
  /** Attempts let through whose outcome is not known yet: each counts as a failure until it says otherwise. */
  trying: number;
  waiting: (() => void)[];
}

/** An attempt that was let through. Settle it exactly once. */
export interface Attempt {
  failed: () => void;
  /** It succeeded, or said nothing about the password. */
  released: () => void;
}

/**
 * Counts failed logins before the password is hashed: an attempt reserves its place, so that any number of parallel
 * guesses cost at most ten hashes. Where the places are taken by attempts under way, a login waits for them, since
 * success is never limited. In memory, per node, bounded.
 */
export class LoginFailures {
  readonly #clock: Clock;
  readonly #maxWaiting: number;
  readonly #tallies: LRUCache<string, Tally>;
  #waiting = 0;

  constructor({ clock, remembered = 10_000, maxWaiting = 1_000 }: LoginFailuresOptions) {
    this.#clock = clock;
    this.#maxWaiting = maxWaiting;
    this.#tallies = new LRUCache({ max: remembered });
  }

  /** Lets an attempt through, or refuses with `too_many_attempts`. */
  async reserve(account: string, address: string): Promise<Attempt> {
    const key = keyOf(account, address);
    for (;;) {
      const tally = this.#tallyOf(key);
      if (tally.failedAtMs.length >= failuresAllowed) throw this.#tooMany(tally);
      if (tally.failedAtMs.length + tally.trying < failuresAllowed) return this.#attempt(key, tally);
      await this.#turn(tally);
    }
  }

  /** Forgets the failures: the account's owner has proven themselves in another way. */
  forgive(account: string, address: string): void {
    const tally = this.#tallies.get(keyOf(account, address));
    if (tally !== undefined) tally.failedAtMs = [];
  }

  #tallyOf(key: string): Tally {
    let tally = this.#tallies.get(key);
    if (tally === undefined) {
      tally = { failedAtMs: [], trying: 0, waiting: [] };
      this.#tallies.set(key, tally);
    }
    const since = this.#clock() - windowMs;
    tally.failedAtMs = tally.failedAtMs.filter((atMs) => atMs > since);
    return tally;
  }

  #attempt(key: string, tally: Tally): Attempt {
    tally.trying++;
    const settle = () => {
      tally.trying--;
      for (const proceed of tally.waiting.splice(0)) proceed();
      const idle = tally.trying === 0 && tally.failedAtMs.length === 0;
      if (idle && this.#tallies.peek(key) === tally) this.#tallies.delete(key);
    };
    return {
      failed: () => {
        tally.failedAtMs.push(this.#clock());
        settle();
      },
      released: settle,
    };
  }

  async #turn(tally: Tally): Promise<void> {
    if (this.#waiting >= this.#maxWaiting) {
      throw new Refusal('overloaded', 'Too many logins are waiting just now. Try again shortly.', {
        retryAfterSeconds: 1,
      });
    }
    this.#waiting++;
    await new Promise<void>((resolve) => tally.waiting.push(resolve));
    this.#waiting--;
  }

  #tooMany({ failedAtMs }: Tally): Refusal {
    const freeAtMs = (failedAtMs[failedAtMs.length - failuresAllowed] as number) + windowMs;
    return new Refusal('too_many_attempts', 'Too many failed logins. Try again later, or reset the password.', {
      retryAfterSeconds: Math.max(1, Math.ceil((freeAtMs - this.#clock()) / 1000)),
    });
  }
}

function keyOf(account: string, address: string): string {
  return `${networkOf(address)} ${accountKey(account)}`;
}

/** Whoever has one IPv6 address has the 2^64 beside it: they count as one. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.');
}
