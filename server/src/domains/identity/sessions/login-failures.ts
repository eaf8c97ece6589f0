import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { type Clock, minuteMs } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import { normalizedAccount } from './account.ts';

/** Per account and address (decisions, Sessions). */
const failuresAllowed = 10;
const windowMs = 15 * minuteMs;

export interface LoginFailuresOptions {
  clock: Clock;
  /** Maximum number of counters in memory, one for each pair of account and address. */
  maxCounters?: number;
  /** Maximum number of logins that wait for concurrent attempts, over all accounts. */
  maxWaiting?: number;
}

interface Counter {
  failedAtMs: number[];
  /** Admitted attempts without an outcome: each counts as a failure until it reports one. */
  pending: number;
  waiting: (() => void)[];
}

/** An admitted login attempt. Call exactly one of the two, once. */
export interface LoginAttempt {
  fail: () => void;
  /** The login succeeded, or ended for a reason that says nothing about the password. */
  release: () => void;
}

/**
 * Limits failed logins. An attempt is counted before its password is hashed, so that any number of parallel guesses costs
 * at most ten hashes. Successful logins are never limited: when concurrent attempts use up the limit, a login waits for
 * their outcome. In memory, per node, bounded.
 */
export class LoginFailures {
  readonly #clock: Clock;
  readonly #maxWaiting: number;
  readonly #counters: LRUCache<string, Counter>;
  #waiting = 0;

  constructor({ clock, maxCounters = 10_000, maxWaiting = 1_000 }: LoginFailuresOptions) {
    this.#clock = clock;
    this.#maxWaiting = maxWaiting;
    this.#counters = new LRUCache({ max: maxCounters });
  }

  /** Admits an attempt. Refuses with `too_many_attempts`, or with `overloaded` when too many logins wait. */
  async reserve(account: string, address: string): Promise<LoginAttempt> {
    const key = counterKey(account, address);
    for (;;) {
      const counter = this.#counterOf(key);
      if (counter.failedAtMs.length >= failuresAllowed) throw this.#tooManyAttempts(counter);
      if (counter.failedAtMs.length + counter.pending < failuresAllowed) return this.#admit(key, counter);
      await this.#waitForOutcome(counter);
    }
  }

  /** Clears the failures, once the owner of the account has proven their identity in another way. */
  clear(account: string, address: string): void {
    const counter = this.#counters.get(counterKey(account, address));
    if (counter !== undefined) counter.failedAtMs = [];
  }

  #counterOf(key: string): Counter {
    let counter = this.#counters.get(key);
    if (counter === undefined) {
      counter = { failedAtMs: [], pending: 0, waiting: [] };
      this.#counters.set(key, counter);
    }
    const sinceMs = this.#clock() - windowMs;
    counter.failedAtMs = counter.failedAtMs.filter((atMs) => atMs > sinceMs);
    return counter;
  }

  #tooManyAttempts({ failedAtMs }: Counter): Refusal {
    const admittedAtMs = (failedAtMs[failedAtMs.length - failuresAllowed] as number) + windowMs;
    return new Refusal('too_many_attempts', 'Too many failed logins. Try again later, or reset the password.', {
      retryAfterSeconds: Math.max(1, Math.ceil((admittedAtMs - this.#clock()) / 1000)),
    });
  }

  #admit(key: string, counter: Counter): LoginAttempt {
    counter.pending++;
    const release = () => {
      counter.pending--;
      for (const proceed of counter.waiting.splice(0)) proceed();
      const isIdle = counter.pending === 0 && counter.failedAtMs.length === 0;
      if (isIdle && this.#counters.peek(key) === counter) this.#counters.delete(key);
    };
    return {
      fail: () => {
        counter.failedAtMs.push(this.#clock());
        release();
      },
      release,
    };
  }

  async #waitForOutcome(counter: Counter): Promise<void> {
    if (this.#waiting >= this.#maxWaiting) {
      throw new Refusal('overloaded', 'Too many logins are waiting just now. Try again shortly.', {
        retryAfterSeconds: 1,
      });
    }
    this.#waiting++;
    await new Promise<void>((resolve) => counter.waiting.push(resolve));
    this.#waiting--;
  }
}

function counterKey(account: string, address: string): string {
  return `${networkOf(address)} ${normalizedAccount(account)}`;
}

/** The address, or the /64 network of an IPv6 address: providers commonly assign a whole /64 to one customer. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.');
}
