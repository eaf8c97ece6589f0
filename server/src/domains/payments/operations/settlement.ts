import { plainArray, textArray } from '../../../platform/postgres/array-literal.ts';
import type { MethodEffect } from '../methods/charges.ts';
import type { ProviderName } from '../providers/directory.ts';
import { type Failure, failure } from '../providers/failures.ts';
import type { Outcome } from '../providers/outcome.ts';
import { refundAfterOutcome } from '../refunds/record.ts';
import type { RefundRow } from '../refunds/statements.ts';
import { type CaptureRecord, type CaptureRow, captureRecordOf } from '../transactions/capture-record.ts';
import { capturedAmountOf, isAuthorized } from '../transactions/captured.ts';
import { isFinal, next } from '../transactions/states.ts';
import type { RefundEvent, Transition, TransitionVariant } from '../transactions/transition.cte.ts';
import type { OperationRow } from './statements.ts';
import { isFinished, type OperationState, type SettledBy } from './states.ts';

/** An outcome that the provider does not revise, except for refunds that fail after they had succeeded. */
export type FinalOutcome = Extract<Outcome, { kind: 'succeeded' | 'failed' | 'cancelled' }>;
/** The charge of a payment that is captured by requests has reserved its amount. The charge stays open. */
export type Authorized = Extract<Outcome, { kind: 'authorized' }>;
type Succeeded = Extract<Outcome, { kind: 'succeeded' }>;
type Failed = Extract<Outcome, { kind: 'failed' }>;
type Cancelled = Extract<Outcome, { kind: 'cancelled' }>;

export function isFinalOutcome(outcome: Outcome): outcome is FinalOutcome {
  return outcome.kind === 'succeeded' || outcome.kind === 'failed' || outcome.kind === 'cancelled';
}

/** The fallback channel through which a charge is tried again. */
export interface NextChannel {
  id: number;
  provider: ProviderName;
  /** The payment method that is charged there, if the payment has one. */
  methodId: string | null;
}

/** Everything that follows from a final outcome, ready to be written by one statement. */
export interface Settlement extends Effect {
  number: number;
  lease: string | null;
  state: OperationState;
  reference: string | null;
  failure: Failure | null;
  /** Null: it stays open. */
  settledBy: SettledBy | null;
  calls: number;
  lookUps: number;
  /** What the outcome changes of payment methods. */
  method: MethodEffect | null;
  /** When an operation that stays open is due again, in ms. */
  dueMs: number | null;
}

/** What an outcome does to the payment and the refund of its operation. */
interface Effect {
  transition: Transition;
  refundStatus: 'SUCCESS' | 'FAILED' | 'CANCELLED' | null;
  /** A refund that had succeeded has failed. */
  reverses: boolean;
  nextChannel: NextChannel | null;
  captureStatus: 'SUCCESS' | 'FAILED' | null;
  isAuthorization: boolean;
  /** The end of the authorization is announced. */
  tellsExpiring: boolean;
  /** What a further request to the provider has to release, after a final capture. */
  releaseAmount: number | null;
}

export interface SettlementFacts {
  row: OperationRow;
  outcome: FinalOutcome | Authorized;
  by: SettledBy;
  /**
   * Settle only while this lease is held. Without it the outcome is settled under any lease: final outcomes stay true.
   */
  lease?: string | null | undefined;
  /** The provider calls and look-ups that the outcome took, to be added to those of the operation. */
  calls?: number | undefined;
  lookUps?: number | undefined;
  nextChannel?: NextChannel | null;
  method?: MethodEffect | null;
  /** The refund of the operation, for the body of its event; required if the operation is a refund. */
  refund?: RefundRow | undefined;
  /** The same of a capture. */
  capture?: CaptureRow | undefined;
  /** When an authorized charge is due again. */
  dueMs?: number;
  atMs: number;
}

/**
 * | Operation | succeeded                  | failed                                          | cancelled         |
 * | --------- | -------------------------- | ----------------------------------------------- | ----------------- |
 * | CHARGE    | payment SUCCESS            | payment FAILED, or a charge of the next channel | payment CANCELLED |
 * | REFUND    | refund SUCCESS, payment    | refund FAILED; reversed if it had succeeded     | refund CANCELLED  |
 * |           | REFUNDED                   |                                                 |                   |
 * | CANCEL    | payment CANCELLED          | payment unchanged                               | payment CANCELLED |
 * | CAPTURE   | capture SUCCESS; payment   | capture FAILED, payment unchanged               | capture FAILED    |
 * |           | SUCCESS after the last one |                                                 |                   |
 * | RELEASE   | payment SUCCESS            | payment unchanged                               | payment unchanged |
 *
 * A payment whose charge was given up is FAILED where the table says CANCELLED. An authorized charge that has ended at
 * its provider makes the payment SUCCESS if some of it was captured, and CANCELLED otherwise.
 *
 * A payment that has ended changes only by refunds. `contradicts` finds outcomes that cannot be true of it.
 */
export function settlementOf(facts: SettlementFacts): Settlement {
  const { row, by, lease, calls = 0, lookUps = 0, method = null, dueMs = null } = facts;
  const isFailure = row.kind === 'CAPTURE' || reverses(row, facts.outcome, calls);
  const outcome = isFailure ? asFailure(facts.outcome, row.kind) : facts.outcome;
  const isOpen = outcome.kind === 'authorized';
  return {
    number: row.number,
    lease: lease ?? null,
    state: isOpen ? 'WAITING' : stateAfter(row, outcome),
    reference: outcome.reference ?? null,
    failure: 'failure' in outcome ? (outcome.failure ?? null) : null,
    settledBy: isOpen ? null : by,
    calls,
    lookUps,
    method,
    dueMs: isOpen ? dueMs : null,
    ...effectOf({ ...facts, outcome }),
  };
}

/**
 * A cancellation has succeeded if the charge is cancelled, whether the provider reports `succeeded` or `cancelled`. A
 * charge has succeeded if some of it was captured before its authorization ended.
 */
function stateAfter(row: OperationRow, outcome: FinalOutcome): OperationState {
  const { kind } = row;
  if (kind === 'CANCEL') return outcome.kind === 'failed' ? 'FAILED' : 'SUCCEEDED';
  if (kind === 'CHARGE' && isAuthorized(row)) return capturedAmountOf(row) > 0 ? 'SUCCEEDED' : 'CANCELLED';
  return ({ succeeded: 'SUCCEEDED', failed: 'FAILED', cancelled: 'CANCELLED' } as const)[outcome.kind];
}

function effectOf(facts: SettlementFacts): Effect {
  const { row, outcome } = facts;
  if (outcome.kind === 'authorized') return isAuthorized(row) ? expiring(facts) : authorized(facts, outcome);
  switch (row.kind) {
    case 'CHARGE':
      if (isFinal(row.status)) return unchanged(facts);
      if (takesWithoutCapture(row, outcome)) throw new Error(`Payment ${row.id} was captured without a capture.`);
      if (isAuthorized(row)) return authorizationEnded(facts, outcome);
      if (outcome.kind === 'succeeded') return chargeSucceeded(facts, outcome);
      return outcome.kind === 'failed' ? chargeFailed(facts, outcome) : chargeCancelled(facts, outcome);
    case 'REFUND':
      if (outcome.kind === 'succeeded') return refundSucceeded(facts);
      if (outcome.kind === 'cancelled') return refundCancelled(facts);
      return reverses(row, outcome) ? refundReversed(facts, outcome) : refundFailed(facts, outcome);
    case 'CANCEL':
      if (outcome.kind === 'failed') return unchanged(facts, row.next_action);
      return next[row.status].includes('CANCELLED') ? chargeCancelled(facts) : unchanged(facts);
    case 'CAPTURE':
      if (outcome.kind === 'cancelled') throw new Error('A capture that is cancelled has failed.');
      return outcome.kind === 'succeeded' ? captureSucceeded(facts, outcome) : captureFailed(facts, outcome);
    case 'RELEASE':
      return outcome.kind === 'succeeded' ? released(facts) : releaseFailed(facts);
  }
}

function unchanged({ row, atMs }: SettlementFacts, nextAction?: OperationRow['next_action']): Effect {
  return effect({ row, to: row.status, atMs, ...(nextAction && { nextAction }) });
}

function effect(transition: Transition, further: Partial<Effect> = {}): Effect {
  return {
    transition,
    refundStatus: null,
    reverses: false,
    nextChannel: null,
    captureStatus: null,
    isAuthorization: false,
    tellsExpiring: false,
    releaseAmount: null,
    ...further,
  };
}

function chargeSucceeded({ row, atMs, method }: SettlementFacts, { reference, fee }: Succeeded): Effect {
  return effect({
    row,
    to: 'SUCCESS',
    atMs,
    providerReference: reference,
    channelId: row.operation_channel_id,
    ...(method?.kind === 'kept' && { methodId: method.id }),
    ...(fee?.currency === row.currency && { fee: fee.amount }),
    writesEvent: true,
  });
}

function chargeFailed(facts: SettlementFacts, { reference, failure: { code, message } }: Failed): Effect {
  const { row, atMs, nextChannel } = facts;
  if (nextChannel) return { ...unchanged(facts), nextChannel };
  return effect({
    row,
    to: 'FAILED',
    atMs,
    failureCode: code,
    failureMessage: message,
    providerReference: reference,
    writesEvent: true,
  });
}

/** A charge that was given up has failed. */
function chargeCancelled({ row, atMs }: SettlementFacts, cancelled?: Cancelled): Effect {
  const reason = row.is_given_up ? failure(row.given_up_code ?? 'payment_expired') : cancelled?.failure;
  return effect({
    row,
    to: row.is_given_up ? 'FAILED' : 'CANCELLED',
    atMs,
    ...(reason && { failureCode: reason.code, failureMessage: reason.message }),
    ...(isAuthorized(row) && { authorization: { ends: true } }),
    writesEvent: true,
  });
}

function authorized({ row, method, atMs }: SettlementFacts, { reference, captureBefore }: Authorized): Effect {
  return effect(
    {
      row,
      to: 'PROCESSING',
      atMs,
      providerReference: reference,
      channelId: row.operation_channel_id,
      ...(method?.kind === 'kept' && { methodId: method.id }),
      writesEvent: row.status === 'PENDING',
      authorization: { begins: { captureBefore }, event: { type: 'transaction.authorized' } },
    },
    { isAuthorization: true },
  );
}

function expiring({ row, atMs }: SettlementFacts): Effect {
  const event = { type: 'transaction.authorization_expiring' } as const;
  return effect({ row, to: row.status, atMs, authorization: { event } }, { tellsExpiring: true });
}

/** The provider holds nothing any more of the amount: it was captured, released or cancelled, or it has expired. */
function authorizationEnded(facts: SettlementFacts, outcome: FinalOutcome): Effect {
  const { row, atMs } = facts;
  if (capturedAmountOf(row) > 0) return effect(succeedsNow(row, atMs));
  if (outcome.kind === 'cancelled') return chargeCancelled(facts, outcome);
  if (outcome.kind === 'succeeded') return unchanged(facts);
  const { code, providerCode } = outcome.failure;
  // What a provider calls expired is an authorization by now, and no payer who did not finish.
  const reason = code === 'payment_expired' ? failure('authorization_expired', providerCode) : outcome.failure;
  return chargeCancelled(facts, { kind: 'cancelled', failure: reason });
}

/** What was captured is all that the payment takes. */
function succeedsNow(row: OperationRow, atMs: number): Transition {
  return { row, to: 'SUCCESS', atMs, authorization: { ends: true }, writesEvent: true };
}

/** The last capture ends the payment, at once if nothing is left to release. */
function captureSucceeded(facts: SettlementFacts, { fee, isReleased = false }: Succeeded): Effect {
  const { row, atMs } = facts;
  const rest = row.amount - capturedAmountOf(row) - row.operation_amount;
  const isLast = row.is_final === true || rest === 0;
  const isDone = isLast && (rest === 0 || isReleased);
  return effect(
    {
      row,
      to: isDone ? 'SUCCESS' : 'PROCESSING',
      atMs,
      channelId: row.operation_channel_id,
      ...(fee?.currency === row.currency && { fee: fee.amount }),
      writesEvent: isDone,
      authorization: {
        ends: isLast,
        capturedChange: row.operation_amount,
        captureId: row.capture_id as string,
        event: { type: 'transaction.captured', capture: captureAfter(facts, 'SUCCESS') },
      },
    },
    { captureStatus: 'SUCCESS', releaseAmount: isLast && !isDone ? rest : null },
  );
}

function captureFailed(facts: SettlementFacts, { failure: reason }: Failed): Effect {
  const { row, atMs } = facts;
  return effect(
    {
      row,
      to: row.status,
      atMs,
      authorization: {
        capturableChange: row.operation_amount,
        captureId: row.capture_id as string,
        event: { type: 'transaction.capture_failed', capture: captureAfter(facts, 'FAILED', reason) },
      },
    },
    { captureStatus: 'FAILED' },
  );
}

function released({ row, atMs }: SettlementFacts): Effect {
  return effect(succeedsNow(row, atMs));
}

/** After a final capture nothing more can be captured: the payment then waits for the authorization to end. */
function releaseFailed({ row, atMs }: SettlementFacts): Effect {
  const capturableChange = row.capture_id === null ? row.operation_amount : 0;
  return effect({ row, to: row.status, atMs, authorization: { capturableChange } });
}

function captureAfter(
  { row, capture, outcome: { reference }, atMs }: SettlementFacts,
  status: 'SUCCESS' | 'FAILED',
  reason: Failure | null = null,
): CaptureRecord {
  if (capture === undefined) throw new Error(`The capture ${row.capture_id} was not read.`);
  const time = new Date(atMs).toISOString();
  return captureRecordOf({
    ...capture,
    status,
    failure_code: reason?.code ?? null,
    provider_reference: reference ?? capture.provider_reference,
    updated_at: time > capture.updated_at ? time : capture.updated_at,
  });
}

function refundSucceeded(facts: SettlementFacts): Effect {
  const { row, atMs } = facts;
  return effect(
    {
      row,
      to: 'REFUNDED',
      atMs,
      refundId: row.refund_id as string,
      refundedChange: row.operation_amount,
      channelId: row.operation_channel_id,
      writesEvent: true,
      refundEvent: refundEventOf(facts, 'SUCCESS'),
    },
    { refundStatus: 'SUCCESS' },
  );
}

function refundCancelled(facts: SettlementFacts): Effect {
  const refundEvent = refundEventOf(facts, 'CANCELLED');
  return effect({ ...releaseReservation(facts), refundEvent }, { refundStatus: 'CANCELLED' });
}

function refundFailed(facts: SettlementFacts, { failure }: Failed): Effect {
  const refundEvent = refundEventOf(facts, 'FAILED', failure);
  return effect({ ...releaseReservation(facts), refundEvent }, { refundStatus: 'FAILED' });
}

/** The payment stays REFUNDED as long as another refund of it stands. */
function refundReversed(facts: SettlementFacts, { failure }: Failed): Effect {
  const { row } = facts;
  const transition: Transition = {
    ...releaseReservation(facts),
    to: row.amount_refunded > row.operation_amount ? 'REFUNDED' : 'SUCCESS',
    refundedChange: -row.operation_amount,
    channelId: row.operation_channel_id,
    refundEvent: refundEventOf(facts, 'FAILED', failure),
  };
  return effect(transition, { refundStatus: 'FAILED', reverses: true });
}

/** The amount that the refund had reserved can be refunded again. */
function releaseReservation({ row, atMs }: SettlementFacts): Transition {
  return { row, to: row.status, atMs, refundId: row.refund_id as string, heldChange: -row.operation_amount };
}

/** A cancelled refund is announced like a failed one: for the merchant it matters that the money was not given back. */
function refundEventOf(
  { row, refund, outcome: { reference }, atMs }: SettlementFacts,
  status: 'SUCCESS' | 'FAILED' | 'CANCELLED',
  failure: Failure | null = null,
): RefundEvent {
  if (refund === undefined) throw new Error(`The refund ${row.refund_id} was not read.`);
  const object = refundAfterOutcome(refund, { status, failure, reference }, atMs);
  return { type: status === 'SUCCESS' ? 'refund.succeeded' : 'refund.failed', object };
}

/**
 * Whether a refund that had succeeded has failed: banks return money days later, and the provider reports it by a
 * callback or a look-up. The answer to a call (`calls` > 0) proves nothing: it may refuse a repeated refund because the
 * first one has succeeded.
 */
export function reverses({ kind, state }: OperationRow, outcome: FinalOutcome | Authorized, calls = 0): boolean {
  return kind === 'REFUND' && state === 'SUCCEEDED' && outcome.kind !== 'succeeded' && calls === 0;
}

/**
 * A refund that is cancelled after it had succeeded counts as failed, so that `refund.failed` announces it; a capture
 * that is cancelled has failed.
 */
function asFailure(outcome: FinalOutcome | Authorized, kind: OperationRow['kind']): FinalOutcome | Authorized {
  if (outcome.kind !== 'cancelled') return outcome;
  const reason =
    kind === 'CAPTURE' ? (outcome.failure ?? failure('capture_failed')) : failure('refund_refused', 'cancelled');
  return { ...outcome, kind: 'failed', failure: reason };
}

/**
 * Whether an outcome cannot be true together with what is settled: the operation ended differently, or the payment was
 * ended by another operation or an update, and now its charge has succeeded.
 */
export function contradicts(row: OperationRow, outcome: FinalOutcome, calls = 0): boolean {
  if (reverses(row, outcome, calls)) return false;
  if (isFinished(row.state)) return (row.state === 'SUCCEEDED') !== (outcome.kind === 'succeeded');
  return row.kind === 'CHARGE' && outcome.kind === 'succeeded' && isFinal(row.status);
}

/** Whether a charge that is captured by requests is said to have taken money before any capture. */
export function takesWithoutCapture(row: OperationRow, outcome: FinalOutcome): boolean {
  const { kind, capture_method } = row;
  const isManual = kind === 'CHARGE' && capture_method === 'MANUAL';
  return isManual && outcome.kind === 'succeeded' && capturedAmountOf(row) === 0;
}

/** The values of `settleBy` that follow those of the transitions. */
export function valuesOfSettlements(
  variant: TransitionVariant,
  settlements: readonly Settlement[],
): (string | Buffer)[] {
  const column = <Value extends string | number | boolean | null>(value: (settlement: Settlement) => Value) =>
    settlements.map(value);
  const common = [
    plainArray(column((one) => one.number)),
    plainArray(column((one) => one.lease)),
    textArray(column((one) => one.state)),
    textArray(column((one) => one.reference)),
    textArray(column((one) => one.failure?.code ?? null)),
    textArray(column((one) => one.failure?.providerCode ?? null)),
    textArray(column((one) => one.failure?.message ?? null)),
    textArray(column((one) => one.settledBy)),
    plainArray(column((one) => one.calls)),
    plainArray(column((one) => one.lookUps)),
    textArray(column((one) => one.refundStatus)),
    plainArray(column((one) => one.reverses)),
    plainArray(column((one) => one.nextChannel?.id ?? null)),
    textArray(column((one) => one.nextChannel?.provider ?? null)),
  ];
  if (variant === 'AUTOMATIC') return common;
  return [
    ...common,
    textArray(column((one) => one.captureStatus)),
    plainArray(column((one) => one.dueMs)),
    plainArray(column((one) => one.isAuthorization)),
    plainArray(column((one) => one.tellsExpiring)),
    plainArray(column((one) => one.releaseAmount)),
  ];
}
