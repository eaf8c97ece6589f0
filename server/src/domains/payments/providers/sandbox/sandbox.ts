import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../../core/clock.ts';
import { Refusal } from '../../../../core/errors.ts';
import { rule } from '../../../../core/refusal-rules.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { mismatchOutcome } from '../amount-mismatch.ts';
import { failure } from '../failures.ts';
import type { KeptMethod } from '../kept-method.ts';
import type { Absent, Outcome } from '../outcome.ts';
import type {
  Call,
  Callback,
  CancelOperation,
  CaptureProvider,
  ChargeOperation,
  Credentials,
  Operation,
  Provider,
  ProviderCallback,
  RefundOperation,
} from '../provider.ts';
import { behaviourOf, behaviourOfWord, isLaterWord } from './behaviours.ts';
import { SandboxDisputes } from './disputes.ts';
import { keyOfReference, outcomeOf, readSandboxCallback, referenceOf } from './messages.ts';
import { customerOfSave, type PayerSetup, SandboxMethods } from './methods.ts';
import { type BehavingOperation, newCancellationRecord, newOperationRecord, type PayerChoice } from './new-record.ts';
import { SandboxRecords } from './records.ts';
import type { OperationRecord } from './statements.ts';

export interface SandboxOptions {
  database: Queryable;
  clock: Clock;
  /** `app.public-url`. The payer's page is at `/sandbox/pay/{key}` below it. */
  publicUrl: string;
  /** `app.sandbox.delay`: until what comes late comes. */
  sandboxDelayMs: number;
}

/** The content of the payer's page. */
export interface PayerPayment {
  /** In minor units. */
  amount: number;
  currency: string;
  /** The payer can choose while it is UNDECIDED. */
  state: 'UNDECIDED' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
  /** Where the page redirects the payer afterwards. */
  returnUrl: string | null;
  statementDescriptor: string | null;
}

/**
 * A payment provider inside Florin for tests. It has records of its own, moves no money and misbehaves on request
 * (`behaviours.ts`, docs/guides/sandbox.md). Like any provider it carries out a key once and never changes a final
 * result. The outcome is unknown if it cannot reach its records or the deadline passes.
 *
 * Callbacks are stored as rows, which a worker sends (`callback-sender.ts`), also after a restart.
 */
export class Sandbox implements Provider {
  readonly #options: Omit<SandboxOptions, 'sandboxDelayMs'> & { delayMs: number };
  readonly #records: SandboxRecords;
  readonly methods: SandboxMethods;
  readonly disputes: SandboxDisputes;

  constructor({ sandboxDelayMs: delayMs, ...given }: SandboxOptions) {
    const options = { ...given, delayMs };
    this.#options = options;
    this.methods = new SandboxMethods(options);
    this.disputes = new SandboxDisputes(options);
    this.#records = new SandboxRecords(options);
  }

  /** Resolves when no record is being written. */
  drained(): Promise<void> {
    return this.#records.drained();
  }

  charge(operation: ChargeOperation, call: Call): Promise<Outcome> {
    const { method } = operation;
    return method === null
      ? this.#perform(operation, call)
      : untilDeadline(call, () => this.#chargeMethod({ ...operation, method }, call));
  }

  async #chargeMethod(operation: ChargeOperation & { method: KeptMethod }, call: Call): Promise<Outcome> {
    const used = await this.methods.use(operation);
    if (typeof used === 'string') return { kind: 'failed', failure: failure(used, used) };
    return this.#perform(operation, call, used.word ?? undefined);
  }

  refund(operation: RefundOperation, call: Call): Promise<Outcome> {
    return this.#performLater(operation, call);
  }

  readonly captures: CaptureProvider = {
    capture: (operation, call) => this.#performLater(operation, call),
    release: (operation, call) => this.#performLater(operation, call),
  };

  /** With the behaviour that the charge has kept for it. */
  #performLater(operation: Exclude<BehavingOperation, ChargeOperation>, call: Call): Promise<Outcome> {
    return untilDeadline(call, async () => {
      const behaviour = (await this.#records.find(keyOfReference(operation.chargeReference) ?? ''))?.behaviour;
      return this.#perform(operation, call, isLaterWord(behaviour) ? behaviour : undefined);
    });
  }

  cancel(operation: CancelOperation, call: Call): Promise<Outcome> {
    return untilDeadline(call, async () => {
      const charge = await this.#records.find(operation.chargeKey);
      const isSilent = charge?.behaviour === 'silent';
      const record = await this.#records.insertOnce(
        newCancellationRecord(operation, call, isSilent, this.#options.clock()),
      );
      requireSameOperation(record, operation, call);
      return isSilent ? noAnswer : this.#outcome(await this.#records.settle(record));
    });
  }

  lookUp(operation: Operation, call: Call): Promise<Outcome | Absent> {
    return untilDeadline<Outcome | Absent>(call, async () => {
      const record = await this.#records.find(operation.key);
      if (record === undefined) return { kind: 'absent' };
      requireSameKind(record, operation, call);
      if (record.behaviour === 'silent') return noAnswer;
      if (record.state === 'UNTAKEN') return { kind: 'absent' };
      const outcome = await this.#outcome(await this.#records.countLookUp(record));
      if (hasSameAmount(record, operation)) return outcome;
      if (outcome.kind === 'succeeded') return mismatchOutcome(outcome);
      throw keyConflict(operation);
    });
  }

  readCallback(callback: Callback, { webhookSecret }: Credentials): ProviderCallback {
    return readSandboxCallback(callback, webhookSecret);
  }

  /**
   * The payment of the page at `/sandbox/pay/{key}`: it waits for its payer's choice, or did. Undefined if there is
   * none.
   */
  async payerPayment(key: string): Promise<PayerPayment | undefined> {
    const record = isKey(key) ? await this.#records.find(key) : undefined;
    return record === undefined ? undefined : payerPaymentOf(record);
  }

  /** Applies the payer's choice on the page. Only the first choice counts; returns the payment as it is afterwards. */
  async decide(key: string, decision: PayerChoice): Promise<PayerPayment | undefined> {
    const record = isKey(key) ? await this.#records.decide(key, decision) : undefined;
    return record === undefined ? this.payerPayment(key) : payerPaymentOf(record);
  }

  /** The same for the page at `/sandbox/setup/{key}`, on which the payer lets a payment method be kept. */
  async payerSetup(key: string): Promise<PayerSetup | undefined> {
    return isKey(key) ? this.methods.payerSetup(key) : undefined;
  }

  async decideSetup(key: string, decision: PayerChoice): Promise<PayerSetup | undefined> {
    if (isKey(key)) await this.#records.decide(key, decision, 'SETUP');
    return this.payerSetup(key);
  }

  #perform(operation: BehavingOperation, call: Call, keptWord?: string): Promise<Outcome> {
    const behaviour = behaviourOf(operation, keptWord);
    if (behaviour === undefined) return Promise.resolve(unknownBehaviour(operation));
    const { clock, delayMs } = this.#options;
    return untilDeadline(call, async () => {
      const newRecord = newOperationRecord(operation, behaviour, call, { nowMs: clock(), delayMs });
      const record = await this.#records.insertOnce(newRecord);
      if (operation.kind === 'CHARGE' && operation.save !== null) {
        await this.methods.keep(operation, newRecord.behaviour, call);
        record.customer = customerOfSave(operation);
      }
      if (record !== newRecord) {
        requireSameOperation(record, operation, call);
        return record.behaviour === 'silent' ? noAnswer : this.#outcome(await this.#records.settle(record));
      }
      const settled = behaviour.effectiveCall === undefined ? await this.#records.settle(record) : record;
      if (behaviour.answer === 'never') return noAnswer;
      if (behaviour.answer === 'broken') throw new Error('The sandbox answered 503.');
      if (behaviour.answer === 'slow') await sleep(Math.min(delayMs, call.timeoutMs / 2), undefined, call);
      return this.#outcome(settled);
    });
  }

  async #outcome(record: OperationRecord): Promise<Outcome> {
    const current = await this.#records.applyDueChange(record);
    const { key, kind, state, failure_code: failureCode, fee, currency, behaviour, settles_ms, expires_ms } = current;
    const reference = referenceOf(key);
    if (settles_ms !== null || state === 'PENDING') return { kind: 'pending', reference, ...customerIn(current) };
    if (state === 'UNTAKEN') throw new Error(`The sandbox has not carried out ${key}.`);
    if (state === 'UNDECIDED') {
      const url = `${this.#options.publicUrl}/sandbox/pay/${key}`;
      return { kind: 'needs_payer', reference, nextAction: { type: 'redirect', url }, ...customerIn(current) };
    }
    if (kind === 'CANCEL' && state === 'FAILED') return { kind: 'failed', reference, failure: tooLate };
    const result = { key, state, failureCode, fee, amount: reportedAmountOf(current), currency };
    const outcome = {
      ...outcomeOf({ ...result, ...(expires_ms !== null && { captureBefore: new Date(expires_ms).toISOString() }) }),
      ...customerIn(current),
      ...(kind === 'CAPTURE' && { isReleased: !behaviourOfWord(behaviour)?.releasesApart }),
    };
    const hasKept = outcome.kind === 'succeeded' || outcome.kind === 'authorized';
    const kept = hasKept && current.customer !== null ? await this.methods.kept(key) : undefined;
    return kept === undefined ? outcome : ({ ...outcome, kept } as Outcome);
  }
}

/** Of an authorization what was authorized, and afterwards what was captured of it. */
function reportedAmountOf({ state, amount, captured, behaviour }: OperationRecord): number {
  if (captured === null || state === 'CANCELLED' || state === 'FAILED') return amount;
  if (state === 'SUCCEEDED') return captured;
  return behaviourOfWord(behaviour)?.authorizesLess ? Math.ceil(amount / 2) : amount;
}

const customerIn = ({ customer }: OperationRecord) => (customer === null ? {} : { customerReference: customer });

const tooLate = failure('invalid_operation', 'too_late', 'The charge is final and can no longer be cancelled.');

/** A typing error in the name of a behaviour must not look like a success. The operation is not recorded. */
function unknownBehaviour(operation: Operation): Outcome {
  const { metadata } = operation;
  const token = operation.kind === 'CHARGE' ? operation.paymentMethod : undefined;
  const requested = metadata?.sandbox === undefined ? token : metadata.sandbox;
  const named = JSON.stringify(requested);
  const message = `The sandbox has no such behaviour; docs/guides/sandbox.md lists all. Requested: ${named}`;
  return {
    kind: 'failed',
    failure: failure('invalid_operation', 'unknown_behaviour', message.slice(0, 200).toWellFormed()),
  };
}

/** A key identifies one operation. A second operation under the same key has an unknown outcome. */
function requireSameOperation(record: OperationRecord, operation: Operation, call: Call): void {
  requireSameKind(record, operation, call);
  if (!hasSameAmount(record, operation)) throw keyConflict(operation);
}

function requireSameKind(record: OperationRecord, operation: Operation, { channelId }: Call): void {
  if (record.kind !== operation.kind || record.channel_id !== channelId) throw keyConflict(operation);
}

const hasSameAmount = (record: OperationRecord, { amount, currency }: Operation) =>
  record.amount === amount && record.currency === currency;

const keyConflict = ({ key }: Operation) => new Error(`The sandbox has another operation under ${key}.`);

/** The result of a behaviour that gives no answer: the call stays open until its deadline. */
const noAnswer = Symbol('noAnswer');

/**
 * The outcome is unknown if there is no answer at the deadline or an error is thrown. Unless the behaviour is to give
 * no answer, the cause of a missed deadline is our own database, which has the records: it is reported like any other
 * unavailable database.
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
    work().then(done, (cause) => done({ kind: 'unknown', cause }));
  });
}

const recordsUnavailable = (cause: unknown) =>
  new Refusal('database_unavailable', rule('sandbox_records'), {
    cause,
  });

/** The key in the address of the page may be any text. */
const isKey = (text: string) => /^[a-z0-9_-]{1,64}$/.test(text);

function payerPaymentOf(record: OperationRecord): PayerPayment | undefined {
  const { amount, currency, state, behaviour } = record;
  const { return_url: returnUrl, statement_descriptor: statementDescriptor } = record;
  if (!(behaviour === 'payer' || behaviour === 'setup:payer') || state === 'UNTAKEN' || state === 'PENDING')
    return undefined;
  const shownState = state === 'AUTHORIZED' ? 'SUCCEEDED' : state;
  return { amount, currency, state: shownState, returnUrl, statementDescriptor };
}
