import { type Clock, secondMs } from '../../../core/clock.ts';
import { RateLimiter } from '../../../platform/http/limits/rate-limiter.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { ChannelDirectory } from '../channels/directory.ts';
import { type Returning, readReturnToken } from '../channels/return-address.ts';
import { findMethod } from '../methods/statements.ts';
import type { WaitingSetups } from '../methods/waiting-setups.ts';
import type { WaitingPayments } from './look-up-waiting.ts';
import { findReturningPayment } from './statements.ts';

export interface PayerReturnsDeps {
  database: Queryable;
  channels: Pick<ChannelDirectory, 'find'>;
  waitingPayments: Pick<WaitingPayments, 'stillWaits'>;
  waitingSetups: Pick<WaitingSetups, 'lookUp'>;
  clock: Clock;
  logError: (error: unknown, message: string) => void;
}

/** A payer who has come back from a provider. */
export interface PayerReturn {
  kind: Returning['kind'];
  livemode: boolean;
  /** Where the merchant wants the payer to go on; null: nowhere. */
  returnUrl: string | null;
  /** What became of the payment or the method. `open`: it is in progress, or the payer has given up for now. */
  result: 'succeeded' | 'failed' | 'open';
}

/** The payer waits for the look-up; it goes on after that. */
const patienceMs = 5 * secondMs;
/** A payer who reloads the address causes no further look-up within this time. */
const quietMs = 2 * secondMs;

/**
 * Receives payers whom providers send back: looks up at once what became of their payment or their setup, which also
 * takes the second step where the provider has one. Nothing depends on it: a callback or a later look-up brings the
 * same.
 */
export class PayerReturns {
  readonly #deps: PayerReturnsDeps;
  readonly #lookUps: RateLimiter;

  constructor(deps: PayerReturnsDeps) {
    this.#deps = deps;
    this.#lookUps = new RateLimiter({ max: 1, windowMs: quietMs, clock: deps.clock });
  }

  /** Undefined if the token is not genuine, or if what it names does not exist any more. */
  async receive(token: string): Promise<PayerReturn | undefined> {
    const read = readReturnToken(token);
    const channel = read && (await this.#deps.channels.find(read.returning.channelId));
    if (read === undefined || channel === undefined || !read.isGenuine(channel.callback_token)) return undefined;
    const { returning } = read;
    const before = await this.#find(returning);
    if (before?.result !== 'open' || this.#lookUps.take(token).isExceeded) return before;
    await this.#lookUp(returning);
    return this.#find(returning);
  }

  async #find({ kind, tenantId, id }: Returning): Promise<PayerReturn | undefined> {
    const { database } = this.#deps;
    if (kind === 'PAYMENT') {
      const [row] = await database.run(findReturningPayment, [tenantId, id]);
      return row && { kind, livemode: row.livemode, returnUrl: row.return_url, result: resultOf(row.status) };
    }
    const [row] = await database.run(findMethod, [[tenantId], id]);
    return row && { kind, livemode: row.livemode, returnUrl: row.return_url, result: resultOf(row.status) };
  }

  /** Resolves after `patienceMs` at the latest, and never rejects. */
  async #lookUp({ kind, tenantId, id }: Returning): Promise<void> {
    const { waitingPayments, waitingSetups, logError } = this.#deps;
    const lookUp: Promise<unknown> =
      kind === 'PAYMENT' ? waitingPayments.stillWaits(tenantId, id) : waitingSetups.lookUp(tenantId, id);
    const ended = lookUp.then(
      () => {},
      (error) => logError(error, 'A payer came back from a provider, and the look-up failed'),
    );
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((over) => {
      timer = setTimeout(over, patienceMs);
    });
    await Promise.race([ended, patience]);
    clearTimeout(timer);
  }
}

function resultOf(status: string): PayerReturn['result'] {
  if (status === 'PENDING' || status === 'PROCESSING') return 'open';
  return status === 'FAILED' || status === 'CANCELLED' ? 'failed' : 'succeeded';
}
