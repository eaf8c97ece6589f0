import { plainArray, textArray } from '../../../platform/postgres/array-literal.ts';
import type { MethodEffect } from '../methods/charges.ts';
import { type Failure, failure } from '../providers/failures.ts';
import { refundAfterOutcome } from '../refunds/record.ts';
import { capturedAmountOf, isAuthorized } from '../transactions/captured.ts';
import { isFinal, next } from '../transactions/states.ts';
import type { RefundEvent, Transition, TransitionVariant } from '../transactions/transition.cte.ts';
import {
  authorizationEnded,
  authorized,
  captureFailed,
  captureSucceeded,
  expiring,
  released,
  releaseFailed,
  takesWithoutCapture,
} from './capture-effects.ts';
import {
  type Authorized,
  chargeCancelled,
  type Effect,
  effect,
  type Failed,
  type FinalOutcome,
  type SettlementFacts,
  type Succeeded,
  unchanged,
} from './effect.ts';
import type { OperationRow } from './statements.ts';
import { isFinished, type OperationState, type SettledBy } from './states.ts';

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

function chargeSucceeded({ row, atMs, method }: SettlementFacts, { reference, fee }: Succeeded): Effect {
  return effect({
    row,
    to: 'SUCCESS',
    atMs,
    providerReference: reference,
    channelId: row.operation_channel_id,
    ...(method?.kind === 'kept' && row.method_id === null && { methodId: method.id }),
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
