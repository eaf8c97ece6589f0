import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../../../../core/errors.ts';
import { AnotherAmount, unknownAfter } from '../another-amount.ts';
import { failure } from '../failures.ts';
import type {
  Absent,
  Call,
  Callback,
  CallbackNews,
  CancelOperation,
  ChargeOperation,
  Credentials,
  Operation,
  Outcome,
  Provider,
  RefundOperation,
} from '../provider.ts';
import { behaviourOf, slowMs } from './behaviours.ts';
import { bookingOf, cancellationOf, type Decision } from './booking.ts';
import { Books } from './books.ts';
import { SandboxCaller, type SandboxCallerOptions } from './callbacks.ts';
import { outcomeOf, readMessage, referenceOf } from './messages.ts';
import type { BookedRow } from './statements.ts';

export interface SandboxSurroundings extends SandboxCallerOptions {
  /** Where browsers reach Florin; the payer's page is at `/sandbox/pay/{key}` below it. */
  publicUrl: string;
}

/** What the payer's page shows. */
export interface Bill {
  /** In minor units. */
  amount: number;
  currency: string;
  /** While it is UNDECIDED the payer may choose. */
  state: 'UNDECIDED' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
  /** Where the payer's browser goes on to. */
  returnUrl: string | null;
}

/**
 * A provider that lives inside Florin: it keeps books of its own, moves no money, and behaves badly on request
 * (`behaviours.ts`, docs/guides/sandbox.md). It is asked and answers like any other: a key is booked once whatever happens, and
 * what it has said once stays. Where it cannot do its work, or the deadline comes first, the outcome is unknown.
 *
 * Whoever runs workers calls `start`: the callbacks it owes are rows, and go on being sent after a restart.
 */
export class Sandbox implements Provider {
  readonly #surroundings: SandboxSurroundings;
  readonly #books: Books;
  readonly #caller: SandboxCaller;

  constructor(surroundings: SandboxSurroundings) {
    this.#surroundings = surroundings;
    this.#books = new Books(surroundings);
    this.#caller = new SandboxCaller(surroundings);
  }

  /** Begins to send the callbacks that are owed. */
  start(): void {
    this.#caller.start();
  }

  /** Callbacks may be owed: look now. */
  wake(): void {
    this.#caller.wake();
  }

  /** Sends no more; what is on its way is waited for. */
  async stop(): Promise<void> {
    await this.#caller.stop();
    await this.#books.drained();
  }

  charge(operation: ChargeOperation, call: Call): Promise<Outcome> {
    return this.#perform(operation, call);
  }

  refund(operation: RefundOperation, call: Call): Promise<Outcome> {
    return this.#perform(operation, call);
  }

  cancel(operation: CancelOperation, call: Call): Promise<Outcome> {
    return untilDeadline(call, async () => {
      const charge = await this.#books.find(operation.chargeKey);
      const isSilent = charge?.behaviour === 'silent';
      const booked = await this.#books.take(cancellationOf(operation, call, isSilent, this.#surroundings.clock()));
      demandSame(booked, operation, call);
      return isSilent ? silence : this.#outcome(await this.#books.settled(booked));
    });
  }

  lookUp(operation: Operation, call: Call): Promise<Outcome | Absent> {
    return untilDeadline<Outcome | Absent>(call, async () => {
      const found = await this.#books.find(operation.key);
      if (found === undefined) return { kind: 'absent' };
      demandSameKind(found, operation, call);
      if (found.behaviour === 'silent') return silence;
      if (found.state === 'UNTAKEN') return { kind: 'absent' };
      const outcome = await this.#outcome(await this.#books.lookedUp(found));
      if (isOfSameMoney(found, operation)) return outcome;
      throw outcome.kind === 'succeeded' ? new AnotherAmount(outcome) : anotherOperation(operation);
    });
  }

  readCallback(callback: Callback, { webhookSecret }: Credentials): CallbackNews {
    return readMessage(callback, webhookSecret);
  }

  /** A payment that waits for its payer, or did: for the page at `/sandbox/pay/{key}`. Undefined where there is none. */
  async bill(key: string): Promise<Bill | undefined> {
    const row = isKey(key) ? await this.#books.find(key) : undefined;
    return row === undefined ? undefined : billOf(row);
  }

  /** What the payer chose on the page. Only the first choice counts: what is given back is how it stands now. */
  async decide(key: string, decision: Decision): Promise<Bill | undefined> {
    const row = isKey(key) ? await this.#books.decide(key, decision) : undefined;
    if (row === undefined) return this.bill(key);
    this.#caller.wake();
    return billOf(row);
  }

  #perform(operation: ChargeOperation | RefundOperation, call: Call): Promise<Outcome> {
    const behaviour = behaviourOf(operation);
    if (behaviour === undefined) return Promise.resolve(unknownBehaviour(operation));
    return untilDeadline(call, async () => {
      const booking = bookingOf(operation, behaviour, call, this.#surroundings.clock());
      const booked = await this.#books.take(booking);
      if (booked !== booking) {
        demandSame(booked, operation, call);
        return booked.behaviour === 'silent' ? silence : this.#outcome(await this.#books.settled(booked));
      }
      const settled = behaviour.arrives === undefined ? await this.#books.settled(booked) : booked;
      if (behaviour.answer === 'never') return silence;
      if (behaviour.answer === 'broken') throw new Error('The sandbox answered 503.');
      if (behaviour.answer === 'slow') await sleep(Math.min(slowMs, call.timeoutMs / 2), undefined, call);
      return this.#outcome(settled);
    });
  }

  async #outcome(row: BookedRow): Promise<Outcome> {
    const told = await this.#books.told(row);
    const { key, kind, state, failure_code: failureCode, fee, amount, currency, settles_ms } = told;
    const reference = referenceOf(key);
    if (settles_ms !== null || state === 'PENDING') return { kind: 'pending', reference };
    if (state === 'UNTAKEN') throw new Error(`The sandbox has not taken ${key}.`);
    if (state === 'UNDECIDED') {
      const url = `${this.#surroundings.publicUrl}/sandbox/pay/${key}`;
      return { kind: 'needs_payer', reference, nextAction: { type: 'redirect', url } };
    }
    if (kind === 'CANCEL' && state === 'FAILED') return { kind: 'failed', reference, failure: tooLate };
    return outcomeOf({ key, state, failureCode, fee, amount, currency });
  }
}

const tooLate = failure('invalid_operation', 'too_late', 'The charge has ended and can no longer be called off.');

/** A typing error must not look like a success. Nothing is booked. */
function unknownBehaviour(operation: Operation): Outcome {
  const { metadata } = operation;
  const token = operation.kind === 'CHARGE' ? operation.paymentMethod : undefined;
  const asked = metadata?.sandbox === undefined ? token : metadata.sandbox;
  const message = `docs/guides/sandbox.md lists what the sandbox can be asked for; not ${JSON.stringify(asked)}.`;
  return {
    kind: 'failed',
    failure: failure('invalid_operation', 'unknown_behaviour', message.slice(0, 200).toWellFormed()),
  };
}

/** A key stands for one operation. What another one would have done under it is not known, and not guessed. */
function demandSame(row: BookedRow, operation: Operation, call: Call): void {
  demandSameKind(row, operation, call);
  if (!isOfSameMoney(row, operation)) throw anotherOperation(operation);
}

function demandSameKind(row: BookedRow, operation: Operation, { channelId }: Call): void {
  if (row.kind !== operation.kind || row.channel_id !== channelId) throw anotherOperation(operation);
}

const isOfSameMoney = (row: BookedRow, { amount, currency }: Operation) =>
  row.amount === amount && row.currency === currency;

const anotherOperation = ({ key }: Operation) => new Error(`The sandbox has booked another operation under ${key}.`);

/** What the sandbox does where it was asked to give no answer. */
const silence = Symbol('silence');

/**
 * Whatever has no answer when the deadline comes is unknown; so is what could not be done. Where that is not silence it was
 * asked for, its books are to blame, which lie in our own database: that is said as the database itself would say it.
 */
function untilDeadline<Answer>(
  { signal }: Call,
  work: () => Promise<Answer | typeof silence>,
): Promise<Answer | Outcome> {
  return new Promise((resolve) => {
    let isSilent = signal.aborted;
    const expired = () => resolve({ kind: 'unknown', cause: isSilent ? signal.reason : booksAway(signal.reason) });
    if (signal.aborted) {
      expired();
      return;
    }
    signal.addEventListener('abort', expired, { once: true });
    const done = (answer: Answer | Outcome | typeof silence) => {
      if (answer === silence) {
        isSilent = true;
        return;
      }
      signal.removeEventListener('abort', expired);
      resolve(answer);
    };
    work().then(done, (error) => done(unknownAfter(error)));
  });
}

const booksAway = (cause: unknown) =>
  new Refusal('database_unavailable', "The sandbox's books could not be reached before the deadline.", { cause });

/** The page's address may hold anything. */
const isKey = (text: string) => /^[a-z0-9_-]{1,64}$/.test(text);

function billOf({ amount, currency, state, behaviour, return_url: returnUrl }: BookedRow): Bill | undefined {
  if (behaviour !== 'payer' || state === 'UNTAKEN' || state === 'PENDING') return undefined;
  return { amount, currency, state, returnUrl };
}
