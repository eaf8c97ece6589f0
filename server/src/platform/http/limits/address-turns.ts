import { Refusal } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';

export interface AddressTurnsOptions {
  /** Requests in progress: from one network, and in all. */
  perNetwork: number;
  inAll: number;
  /** Requests that are started in one turn of the event loop, so that other work is done between them. */
  perTurn: number;
  /** Waiting requests of one network; further ones are refused. In all ten times as many. */
  maximumWaiting?: number;
}

type Proceed = (leave: () => void) => void;

/**
 * Bounds the work for callers that are not known: limits their requests in progress. Networks take turns for the
 * others, which wait with only their headers read. Without it 250 connections that need no credentials delayed payments
 * by seconds.
 */
export class AddressTurns {
  readonly #options: Required<AddressTurnsOptions>;
  readonly #inProgress = new Map<string, number>();
  /** In the order of their turns. */
  readonly #waiting = new Map<string, Proceed[]>();
  #countInProgress = 0;
  #countWaiting = 0;
  #startedInTurn = 0;
  #isTurnEnding = false;

  constructor({ maximumWaiting = 1_000, ...options }: AddressTurnsOptions) {
    this.#options = { maximumWaiting, ...options };
  }

  /**
   * Calls `proceed` now, or when it is the request's turn. Its argument must be called when the work is done; further
   * calls change nothing. Throws the refusal `too_many_requests` or `overloaded` when too many wait.
   */
  enter(network: string, proceed: Proceed): void {
    if (!this.#waiting.has(network) && this.#mayStart(network)) this.#start(network, proceed);
    else this.#wait(network, proceed);
  }

  #mayStart(network: string): boolean {
    const { perNetwork, inAll, perTurn } = this.#options;
    return (
      this.#startedInTurn < perTurn &&
      this.#countInProgress < inAll &&
      (this.#inProgress.get(network) ?? 0) < perNetwork
    );
  }

  #start(network: string, proceed: Proceed): void {
    this.#startedInTurn++;
    this.#endTurnSoon();
    this.#countInProgress++;
    this.#inProgress.set(network, (this.#inProgress.get(network) ?? 0) + 1);
    let hasLeft = false;
    proceed(() => {
      if (!hasLeft) this.#leave(network);
      hasLeft = true;
    });
  }

  #wait(network: string, proceed: Proceed): void {
    const waiting = this.#waiting.get(network) ?? [];
    const { maximumWaiting } = this.#options;
    if (waiting.length >= maximumWaiting) {
      throw new Refusal('too_many_requests', rule('requests_waiting', { waiting: maximumWaiting, limit: 'address' }), {
        retryAfterSeconds: 1,
      });
    }
    if (this.#countWaiting >= 10 * maximumWaiting) {
      throw new Refusal('overloaded', rule('requests_wait'), { retryAfterSeconds: 1 });
    }
    waiting.push(proceed);
    this.#countWaiting++;
    this.#waiting.set(network, waiting);
  }

  #leave(network: string): void {
    this.#countInProgress--;
    const left = (this.#inProgress.get(network) ?? 1) - 1;
    if (left === 0) this.#inProgress.delete(network);
    else this.#inProgress.set(network, left);
    if (this.#countWaiting > 0) this.#endTurnSoon();
  }

  #endTurnSoon(): void {
    if (this.#isTurnEnding) return;
    this.#isTurnEnding = true;
    setImmediate(() => {
      this.#isTurnEnding = false;
      this.#startedInTurn = 0;
      this.#startWaiting();
    });
  }

  #startWaiting(): void {
    for (const [network, waiting] of this.#waiting) {
      if (!this.#mayStart(network)) continue;
      const proceed = waiting.shift() as Proceed;
      this.#countWaiting--;
      this.#waiting.delete(network);
      // Behind the other networks; visited again in this loop if there is room.
      if (waiting.length > 0) this.#waiting.set(network, waiting);
      this.#start(network, proceed);
    }
  }
}
