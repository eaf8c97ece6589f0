import type { LRUCache } from 'lru-cache';
import { type Clock, minuteMs } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { boundedCache } from '../../../platform/caching/bounded-cache.ts';
import { networkOf } from '../../../platform/http/limits/network-of.ts';
import { OtherProcesses } from '../../../platform/process/other-processes.ts';
import { normalizedAccount } from './account.ts';
import { type AttemptCounters, askedAttempts, type LoginAttempt, serveAttempts } from './shared-attempts.ts';

/** Per account and address. */
const failuresAllowed = 10;
export const failureWindowMs = 15 * minuteMs;

interface LoginFailuresOptions {
  clock: Clock;
  /** Failed logins allowed from one address in 15 minutes, over all accounts: `app.rate-limit.failures-per-address`. */
  failuresPerAddress: number;
  /** The other processes of the node: the first one counts for all. */
  otherProcesses?: OtherProcesses;
  /** Maximum number of counters in memory: of pairs of account and address, and of addresses. */
  maxCounters?: number;
  /** Maximum number of logins that wait for concurrent attempts, over all accounts. */
  maxWaiting?: number;
}

interface Counter {
  allowed: number;
  failedAtMs: number[];
  /** Admitted attempts without an outcome: each counts as a failure until it reports one. */
  pending: number;
  waiting: (() => void)[];
}

/**
 * Limits failed logins, by account and address and by address alone. An attempt is counted before its password is
 * hashed, so that any number of parallel guesses costs at most as many hashes as failures are allowed. Successful
 * logins are never limited: when concurrent attempts use up a limit, a login waits for their outcome.
 *
 * An account that has logged in from an address before is *familiar* there: it is not refused for failures of other
 * accounts at that address, such as those of an attacker behind the same router. The counters are in memory and
 * bounded, in the first process of a node for all of them.
 */
export class LoginFailures {
  readonly #counters: AttemptCounters;

  constructor({ otherProcesses = new OtherProcesses(), ...options }: LoginFailuresOptions) {
    if (otherProcesses.askFirst !== undefined) {
      this.#counters = askedAttempts(otherProcesses.askFirst);
      return;
    }
    this.#counters = new LoginCounters(options);
    serveAttempts(otherProcesses, this.#counters);
  }

  /**
   * Runs an attempt. It has failed if `work` resolves to undefined. It does not count if `work` rejects, because an
   * overload, an unreachable database or a request for a second factor says nothing about the password.
   */
  async attempt<Result>(
    account: string,
    address: string,
    work: (caller: string) => Promise<Result | undefined>,
  ): Promise<Result | undefined> {
    const attempt = await this.reserve(account, address);
    let result: Result | undefined;
    try {
      result = await work(attempt.caller);
    } catch (error) {
      attempt.release();
      throw error;
    }
    if (result === undefined) attempt.fail();
    else attempt.succeed();
    return result;
  }

  /**
   * The same for credentials that cannot be guessed, such as the signature of a passkey: failures count and are refused
   * beyond a limit, but an attempt that succeeds is never refused.
   */
  async attemptUnguessable<Result>(
    account: string,
    address: string,
    work: () => Promise<Result | undefined>,
  ): Promise<Result | undefined> {
    const result = await work();
    if (result === undefined) (await this.reserve(account, address)).fail();
    else this.#counters.remember(account, address);
    return result;
  }

  /** Admits an attempt. Refuses with `too_many_attempts`, or with `overloaded` when too many logins wait. */
  reserve(account: string, address: string): Promise<LoginAttempt> {
    return this.#counters.reserve(account, address);
  }

  /** Clears the failures after the owner of the account has authenticated in another way. */
  clear(account: string, address: string): void {
    this.#counters.clear(account, address);
  }
}

class LoginCounters implements AttemptCounters {
  readonly #clock: Clock;
  readonly #failuresPerAddress: number;
  readonly #maxWaiting: number;
  readonly #byPair: LRUCache<string, Counter>;
  readonly #byNetwork: LRUCache<string, Counter>;
  readonly #familiar: LRUCache<string, true>;
  #waiting = 0;

  constructor({
    clock,
    failuresPerAddress,
    maxCounters = 10_000,
    maxWaiting = 1_000,
  }: Omit<LoginFailuresOptions, 'otherProcesses'>) {
    this.#clock = clock;
    this.#failuresPerAddress = failuresPerAddress;
    this.#maxWaiting = maxWaiting;
    this.#byPair = boundedCache(maxCounters);
    this.#byNetwork = boundedCache(maxCounters);
    this.#familiar = boundedCache(maxCounters);
  }

  async reserve(account: string, address: string): Promise<LoginAttempt> {
    const network = networkOf(address);
    const pair = pairOf(account, network);
    for (;;) {
      const isFamiliar = this.#familiar.get(pair) === true;
      const counters = [this.#counterOf(this.#byPair, pair, failuresAllowed)];
      if (!isFamiliar) counters.push(this.#counterOf(this.#byNetwork, network, this.#failuresPerAddress));
      const full = counters.find(({ failedAtMs, allowed }) => failedAtMs.length >= allowed);
      if (full !== undefined) throw this.#tooManyAttempts(full);
      const busy = counters.find(({ failedAtMs, pending, allowed }) => failedAtMs.length + pending >= allowed);
      if (busy === undefined) return this.#admit({ pair, network, isFamiliar }, counters);
      await this.#waitForOutcome(busy);
    }
  }

  remember(account: string, address: string): void {
    this.#familiar.set(pairOf(account, networkOf(address)), true);
  }

  clear(account: string, address: string): void {
    const counter = this.#byPair.get(pairOf(account, networkOf(address)));
    if (counter !== undefined) counter.failedAtMs = [];
  }

  #failed(counter: Counter): void {
    counter.failedAtMs.push(this.#clock());
  }

  #counterOf(counters: LRUCache<string, Counter>, key: string, allowed: number): Counter {
    let counter = counters.get(key);
    if (counter === undefined) {
      counter = { allowed, failedAtMs: [], pending: 0, waiting: [] };
      counters.set(key, counter);
    }
    const sinceMs = this.#clock() - failureWindowMs;
    counter.failedAtMs = counter.failedAtMs.filter((atMs) => atMs > sinceMs);
    return counter;
  }

  #tooManyAttempts({ failedAtMs, allowed }: Counter): Refusal {
    const admittedAtMs = (failedAtMs[failedAtMs.length - allowed] as number) + failureWindowMs;
    return new Refusal('too_many_attempts', rule('attempts_of_logins'), {
      retryAfterSeconds: Math.max(1, Math.ceil((admittedAtMs - this.#clock()) / 1000)),
    });
  }

  #admit(
    { pair, network, isFamiliar }: { pair: string; network: string; isFamiliar: boolean },
    counters: readonly Counter[],
  ): LoginAttempt {
    for (const counter of counters) counter.pending++;
    const release = () => {
      for (const counter of counters) {
        counter.pending--;
        for (const proceed of counter.waiting.splice(0)) proceed();
      }
      const [counter] = counters as [Counter];
      const isIdle = counter.pending === 0 && counter.failedAtMs.length === 0;
      if (isIdle && this.#byPair.peek(pair) === counter) this.#byPair.delete(pair);
    };
    return {
      caller: isFamiliar ? pair : network,
      succeed: () => {
        this.#familiar.set(pair, true);
        release();
      },
      fail: () => {
        for (const counter of counters) this.#failed(counter);
        release();
      },
      release,
    };
  }

  async #waitForOutcome(counter: Counter): Promise<void> {
    if (this.#waiting >= this.#maxWaiting) {
      throw new Refusal('overloaded', rule('logins_wait'), {
        retryAfterSeconds: 1,
      });
    }
    this.#waiting++;
    await new Promise<void>((resolve) => counter.waiting.push(resolve));
    this.#waiting--;
  }
}

function pairOf(account: string, network: string): string {
  return `${network} ${normalizedAccount(account)}`;
}
