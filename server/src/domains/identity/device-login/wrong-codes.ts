import type { Clock } from '../../../core/clock.ts';
import { type Quota, RateLimiter } from '../../../platform/http/limits/rate-limiter.ts';
import type { OtherProcesses } from '../../../platform/process/other-processes.ts';
import { failureWindowMs } from '../sessions/login-failures.ts';

/** In fifteen minutes, of one user. */
const most = 10;
const requestName = 'wrong device codes';
type Verb = 'take' | 'peek';

/**
 * Counts the wrong codes of a user in the first process of a node. So ten of them get an answer, however somebody who
 * guesses spreads parallel requests over the processes.
 */
export class WrongCodes {
  readonly #ask: (verb: Verb, userId: number) => Promise<Quota>;

  constructor({ clock, otherProcesses }: { clock: Clock; otherProcesses: OtherProcesses }) {
    const { askFirst } = otherProcesses;
    if (askFirst !== undefined) {
      this.#ask = async (verb, userId) => JSON.parse(await askFirst(requestName, JSON.stringify([verb, userId])));
      return;
    }
    const limiter = new RateLimiter({ max: most, windowMs: failureWindowMs, clock });
    this.#ask = async (verb, userId) => limiter[verb](String(userId));
    otherProcesses.answer(requestName, async (text) => {
      const [verb, userId] = JSON.parse(text) as [Verb, number];
      return JSON.stringify(await this.#ask(verb, userId));
    });
  }

  /** Counts a wrong code. */
  take(userId: number): Promise<Quota> {
    return this.#ask('take', userId);
  }

  /** Whether the user may still try codes. */
  peek(userId: number): Promise<Quota> {
    return this.#ask('peek', userId);
  }
}
