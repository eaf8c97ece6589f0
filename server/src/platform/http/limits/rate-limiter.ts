import type { LRUCache } from 'lru-cache';
import type { Clock } from '../../../core/clock.ts';
import { Refusal, type RefusalType } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { boundedCache } from '../../caching/bounded-cache.ts';

export interface RateLimiterOptions {
  /** Number allowed in a window. */
  max: number;
  windowMs: number;
  clock: Clock;
  /** Number of keys in memory; beyond it, the one used longest ago starts a new window. */
  maxKeys?: number;
  /** Joins this limiter with those of the other processes of the node. */
  shared?: SharedUses | undefined;
}

/** Tells other processes of a use, and learns of theirs within milliseconds. */
export interface SharedUses {
  tell: (key: string) => void;
  listen: (listener: (key: string) => void) => void;
}

/** What a key has left in its window. */
export interface Quota {
  max: number;
  remaining: number;
  /** Whether the request that asked is beyond the limit. */
  isExceeded: boolean;
  /** Until the window ends, rounded up, at least 1. */
  resetSeconds: number;
}

interface Window {
  used: number;
  endsAtMs: number;
}

/**
 * Counts by key in fixed windows, each of which starts with the first use of its key. In memory, bounded; for all
 * processes of a node together where they are joined.
 */
export class RateLimiter {
  readonly max: number;
  readonly windowMs: number;
  readonly #clock: Clock;
  readonly #windows: LRUCache<string, Window>;
  readonly #shared: SharedUses | undefined;

  constructor({ max, windowMs, clock, maxKeys = 10_000, shared }: RateLimiterOptions) {
    this.max = max;
    this.windowMs = windowMs;
    this.#clock = clock;
    this.#windows = boundedCache(maxKeys);
    this.#shared = shared;
    shared?.listen((key) => this.#count(key, this.#clock()));
  }

  /** Counts one use. Uses beyond the limit are not counted. */
  take(key: string): Quota {
    const nowMs = this.#clock();
    const counted = this.#count(key, nowMs);
    if (!counted.isExceeded) this.#shared?.tell(key);
    return this.#quotaOf(counted.window, counted.isExceeded, nowMs);
  }

  #count(key: string, nowMs: number): { window: Window; isExceeded: boolean } {
    let window = this.#windows.get(key);
    // A window that ends later than one started now was started before the clock was set back.
    if (window === undefined || window.endsAtMs <= nowMs || window.endsAtMs > nowMs + this.windowMs) {
      window = { used: 0, endsAtMs: nowMs + this.windowMs };
      this.#windows.set(key, window);
    }
    const isExceeded = window.used >= this.max;
    if (!isExceeded) window.used++;
    return { window, isExceeded };
  }

  /** Whether a use would be allowed, without counting one. */
  peek(key: string): Quota {
    const nowMs = this.#clock();
    const window = this.#windows.peek(key);
    if (window === undefined || window.endsAtMs <= nowMs) {
      return this.#quotaOf({ used: 0, endsAtMs: nowMs + this.windowMs }, false, nowMs);
    }
    return this.#quotaOf(window, window.used >= this.max, nowMs);
  }

  #quotaOf({ used, endsAtMs }: Window, isExceeded: boolean, nowMs: number): Quota {
    const resetSeconds = Math.max(1, Math.ceil(Math.min(endsAtMs - nowMs, this.windowMs) / 1000));
    return { max: this.max, remaining: this.max - used, isExceeded, resetSeconds };
  }
}

/**
 * Limits how often callers without credentials may fail where nobody can guess a success: with signed or random tokens.
 * A request that succeeds is neither counted nor refused, however many have failed before it.
 */
export class FailureLimiter {
  readonly #failures: RateLimiter;

  constructor(options: RateLimiterOptions) {
    this.#failures = new RateLimiter(options);
  }

  /**
   * Does the work and counts a failure. After too many failures of the key, further ones become `too_many_attempts`.
   */
  async attempt<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (isFailure(error)) this.count(key);
      throw error;
    }
  }

  /** Counts a failure, or a request whose answer does not tell whether it failed. Refuses with `too_many_attempts`. */
  count(key: string): void {
    const quota = this.#failures.take(key);
    if (quota.isExceeded) throw tooManyAttempts(quota);
  }
}

const failures: ReadonlySet<string> = new Set<RefusalType>(['reset_token_invalid', 'expired_token']);

/** Wrong credentials; not a malformed request, nor an unavailable database. */
function isFailure(error: unknown): boolean {
  return error instanceof Refusal && (error.kind === 'unauthenticated' || failures.has(error.type));
}

function tooManyAttempts({ resetSeconds }: Quota): Refusal {
  return new Refusal('too_many_attempts', rule('attempts_of_address'), {
    retryAfterSeconds: resetSeconds,
  });
}
