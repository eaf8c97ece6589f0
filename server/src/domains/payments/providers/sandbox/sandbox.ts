import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../../../../core/errors.ts';
import { AmountMismatch, unknownOutcome } from '../amount-mismatch.ts';
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
import { type CallbackSenderOptions, SandboxCallbackSender } from './callback-sender.ts';
import { outcomeOf, readSandboxCallback, referenceOf } from './messages.ts';
import { type Decision, newCancellationRecord, newOperationRecord } from './new-record.ts';
import { SandboxRecords } from './records.ts';
import type { OperationRecord } from './statements.ts';

export interface SandboxOptions extends CallbackSenderOptions {
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
 * (`behaviours.ts`, docs/sandbox.md). It is asked and answers like any other: a key is booked once whatever happens, and
 * what it has said once stays. Where it cannot do its work, or the deadline comes first, the outcome is unknown.
 *
 * Whoever runs workers calls `start`: the callbacks it owes are rows, and go on being sent after a restart.
 */
export class Sandbox implements Provider {
  readonly #options: SandboxOptions;
  readonly #records: SandboxRecords;
  readonly #sender: SandboxCallbackSender;

  constructor(surroundings: SandboxOptions) {
    this.#options = surroundings;
    this.#records = new SandboxRecords(surroundings);
    this.#sender = new SandboxCallbackSender(surroundings);
  }

  /** Begins to send the callbacks that are owed. */
  start(): void {
    this.#sender.start();
  }

  /** Callbacks may be owed: look now. */
  wake(): void {
    this.#sender.wake();
  }

  /** Sends no more; what is on its way is waited for. */
  async stop(): Promise<void> {
    await this.#sender.stop();
    await this.#records.drained();
  }

  charge(operation: ChargeOperation, call: Call): Promise<Outcome> {
    return this.#perform(operation, call);
  }

  refund(operation: RefundOperation, call: Call): Promise<Outcome> {
    return this.#perform(operation, call);
  }

  cancel(operation: CancelOperation, call: Call): Promise<Outcome> {
    return untilDeadline(call, async () => {
      const charge = await this.#records.find(operation.chargeKey);
      const isSilent = charge?.behaviour === 'silent';
      const booked = await this.#records.insertOnce(
        newCancellationRecord(operation, call, isSilent, this.#options.clock()),
      );
      requireSameOperation(booked, operation, call);
      return isSilent ? noAnswer : this.#outcome(await this.#records.settle(booked));
    });
  }

  lookUp(operation: Operation, call: Call): Promise<Outcome | Absent> {
    return untilDeadline<Outcome | Absent>(call, async () => {
      const found = await this.#records.find(operation.key);
      if (found === undefined) return { kind: 'absent' };
      requireSameKind(found, operation, call);
      if (found.behaviour === 'silent') return noAnswer;
      if (found.state === 'UNTAKEN') return { kind: 'absent' };
      const outcome = await this.#outcome(await this.#records.countLookUp(found));
      if (hasSameAmount(found, operation)) return outcome;
      throw outcome.kind === 'succeeded' ? new AmountMismatch(outcome) : keyConflict(operation);
    });
  }

  readCallback(callback: Callback, { webhookSecret }: Credentials): CallbackNews {
    return readSandboxCallback(callback, webhookSecret);
  }

  /** A payment that waits for its payer, or did: for the page at `/sandbox/pay/{key}`. Undefined where there is none. */
  async bill(key: string): Promise<Bill | undefined> {
    const row = isKey(key) ? await this.#records.find(key) : undefined;
    return row === undefined ? undefined : payerPaymentOf(row);
  }

  /** What the payer chose on the page. Only the first choice counts: what is given back is how it stands now. */
  async decide(key: string, decision: Decision): Promise<Bill | undefined> {
    const row = isKey(key) ? await this.#records.decide(key, decision) : undefined;
    if (row === undefined) return this.bill(key);
    this.#sender.wake();
    return payerPaymentOf(row);
  }

  #perform(operation: ChargeOperation | RefundOperation, call: Call): Promise<Outcome> {
    const behaviour = behaviourOf(operation);
    if (behaviour === undefined) return Promise.resolve(unknownBehaviour(operation));
    return untilDeadline(call, async () => {
      const booking = newOperationRecord(operation, behaviour, call, this.#options.clock());
      const booked = await this.#records.insertOnce(booking);
      if (booked !== booking) {
        requireSameOperation(booked, operation, call);
        return booked.behaviour === 'silent' ? noAnswer : this.#outcome(await this.#records.settle(booked));
      }
      const settled = behaviour.effectiveCall === undefined ? await this.#records.settle(booked) : booked;
      if (behaviour.answer === 'never') return noAnswer;
      if (behaviour.answer === 'broken') throw new Error('The sandbox answered 503.');
      if (behaviour.answer === 'slow') await sleep(Math.min(slowMs, call.timeoutMs / 2), undefined, call);
      return this.#outcome(settled);
    });
  }

  async #outcome(row: OperationRecord): Promise<Outcome> {
    const told = await this.#records.applyDueChange(row);
    const { key, kind, state, failure_code: failureCode, fee, amount, currency, settles_ms } = told;
    const reference = referenceOf(key);
    if (settles_ms !== null || state === 'PENDING') return { kind: 'pending', reference };
    if (state === 'UNTAKEN') throw new Error(`The sandbox has not taken ${key}.`);
    if (state === 'UNDECIDED') {
      const url = `${this.#options.publicUrl}/sandbox/pay/${key}`;
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
  const message = `docs/sandbox.md lists what the sandbox can be asked for; not ${JSON.stringify(asked)}.`;
  return {
    kind: 'failed',
    failure: failure('invalid_operation', 'unknown_behaviour', message.slice(0, 200).toWellFormed()),
  };
}

/** A key stands for one operation. What another one would have done under it is not known, and not guessed. */
function requireSameOperation(row: OperationRecord, operation: Operation, call: Call): void {
  requireSameKind(row, operation, call);
  if (!hasSameAmount(row, operation)) throw keyConflict(operation);
}

function requireSameKind(row: OperationRecord, operation: Operation, { channelId }: Call): void {
  if (row.kind !== operation.kind || row.channel_id !== channelId) throw keyConflict(operation);
}

const hasSameAmount = (row: OperationRecord, { amount, currency }: Operation) =>
  row.amount === amount && row.currency === currency;

const keyConflict = ({ key }: Operation) => new Error(`The sandbox has booked another operation under ${key}.`);

/** What the sandbox does where it was asked to give no answer. */
const noAnswer = Symbol('silence');

/**
 * Whatever has no answer when the deadline comes is unknown; so is what could not be done. Where that is not silence it was
 * asked for, its books are to blame, which lie in our own database: that is said as the database itself would say it.
 */
function untilDeadline<Answer>(
  { signal }: Call,
  work: () => Promise<Answer | typeof noAnswer>,
): Promise<Answer | Outcome> {
  return new Promise((resolve) => {
    let isSilent = signal.aborted;
    const expired = () =>
      resolve({ kind: 'unknown', cause: isSilent ? signal.reason : recordsUnavailable(signal.reason) });
    if (signal.aborted) {
      expired();
      return;
    }
    signal.addEventListener('abort', expired, { once: true });
    const done = (answer: Answer | Outcome | typeof noAnswer) => {
      if (answer === noAnswer) {
        isSilent = true;
        return;
      }
      signal.removeEventListener('abort', expired);
      resolve(answer);
    };
    work().then(done, (error) => done(unknownOutcome(error)));
  });
}

const recordsUnavailable = (cause: unknown) =>
  new Refusal('database_unavailable', "The sandbox's books could not be reached before the deadline.", { cause });

/** The page's address may hold anything. */
const isKey = (text: string) => /^[a-z0-9_-]{1,64}$/.test(text);

function payerPaymentOf({
  amount,
  currency,
  state,
  behaviour,
  return_url: returnUrl,
}: OperationRecord): Bill | undefined {
  if (behaviour !== 'payer' || state === 'UNTAKEN' || state === 'PENDING') return undefined;
  return { amount, currency, state, returnUrl };
}
