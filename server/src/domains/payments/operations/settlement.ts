import { plainArray, textArray } from '../../../platform/postgres/array-literal.ts';
import type { MethodEffect } from '../methods/charges.ts';
import type { ProviderName } from '../providers/directory.ts';
import { type Failure, failure } from '../providers/failures.ts';
import type { Outcome } from '../providers/provider.ts';
import { refundAfterOutcome } from '../refunds/record.ts';
import type { RefundRow } from '../refunds/statements.ts';
import { isFinal, next } from '../transactions/states.ts';
import type { RefundEvent, Transition } from '../transactions/transition.cte.ts';
import type { OperationRow } from './statements.ts';
import { isFinished, type OperationState, type SettledBy } from './states.ts';

/** An outcome that the provider does not revise, except for refunds that fail after they had succeeded. */
export type FinalOutcome = Extract<Outcome, { kind: 'succeeded' | 'failed' | 'cancelled' }>;
type Succeeded = Extract<Outcome, { kind: 'succeeded' }>;
type Failed = Extract<Outcome, { kind: 'failed' }>;

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
  settledBy: SettledBy;
  calls: number;
  lookUps: number;
  /** What the outcome changes of payment methods. */
  method: MethodEffect | null;
}

/** What an outcome does to the payment and the refund of its operation. */
interface Effect {
  transition: Transition;
  refundStatus: 'SUCCESS' | 'FAILED' | 'CANCELLED' | null;
  /** A refund that had succeeded has failed. */
  reverses: boolean;
  nextChannel: NextChannel | null;
}

export interface SettlementFacts {
  row: OperationRow;
  outcome: FinalOutcome;
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
  atMs: number;
}

/**
 * | Operation | succeeded                  | failed                                          | cancelled         |
 * | --------- | -------------------------- | ----------------------------------------------- | ----------------- |
 * | CHARGE    | payment SUCCESS            | payment FAILED, or a charge of the next channel | payment CANCELLED |
 * | REFUND    | refund SUCCESS, payment    | refund FAILED; reversed if it had succeeded     | refund CANCELLED  |
 * |           | REFUNDED                   |                                                 |                   |
 * | CANCEL    | payment CANCELLED          | payment unchanged                               | payment CANCELLED |
 *
 * A payment whose payer has not finished in time is FAILED where the table says CANCELLED.
 *
 * A payment that has ended changes only by refunds. `contradicts` finds outcomes that cannot be true of it.
 */
export function settlementOf(facts: SettlementFacts): Settlement {
  const { row, by, lease, calls = 0, lookUps = 0, method = null } = facts;
  const outcome = reverses(row, facts.outcome, calls) ? asFailure(facts.outcome) : facts.outcome;
  return {
    number: row.number,
    lease: lease ?? null,
    state: stateAfter(row, outcome),
    reference: outcome.reference ?? null,
    failure: outcome.kind === 'failed' ? outcome.failure : null,
    settledBy: by,
    calls,
    lookUps,
    method,
    ...effectOf({ ...facts, outcome }),
  };
}

/** A cancellation has succeeded if the charge is cancelled, whether the provider reports `succeeded` or `cancelled`. */
function stateAfter({ kind }: OperationRow, outcome: FinalOutcome): OperationState {
  if (kind === 'CANCEL') return outcome.kind === 'failed' ? 'FAILED' : 'SUCCEEDED';
  return ({ succeeded: 'SUCCEEDED', failed: 'FAILED', cancelled: 'CANCELLED' } as const)[outcome.kind];
}

function effectOf(facts: SettlementFacts): Effect {
  const { row, outcome } = facts;
  switch (row.kind) {
    case 'CHARGE':
      if (isFinal(row.status)) return unchanged(facts);
      if (outcome.kind === 'succeeded') return chargeSucceeded(facts, outcome);
      return outcome.kind === 'failed' ? chargeFailed(facts, outcome) : chargeCancelled(facts);
    case 'REFUND':
      if (outcome.kind === 'succeeded') return refundSucceeded(facts);
      if (outcome.kind === 'cancelled') return refundCancelled(facts);
      return reverses(row, outcome) ? refundReversed(facts, outcome) : refundFailed(facts, outcome);
    case 'CANCEL':
      if (outcome.kind === 'failed') return unchanged(facts, row.next_action);
      return next[row.status].includes('CANCELLED') ? chargeCancelled(facts) : unchanged(facts);
  }
}

function unchanged({ row, atMs }: SettlementFacts, nextAction?: OperationRow['next_action']): Effect {
  return effect({ row, to: row.status, atMs, ...(nextAction && { nextAction }) });
}

function effect(transition: Transition, further: Partial<Effect> = {}): Effect {
  return { transition, refundStatus: null, reverses: false, nextChannel: null, ...further };
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

/** A charge that was cancelled because its payer has not finished has failed. */
function chargeCancelled({ row, atMs }: SettlementFacts): Effect {
  if (!row.is_given_up) return effect({ row, to: 'CANCELLED', atMs, writesEvent: true });
  const { code, message } = failure('payment_expired');
  return effect({ row, to: 'FAILED', atMs, failureCode: code, failureMessage: message, writesEvent: true });
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
export function reverses({ kind, state }: OperationRow, outcome: FinalOutcome, calls = 0): boolean {
  return kind === 'REFUND' && state === 'SUCCEEDED' && outcome.kind !== 'succeeded' && calls === 0;
}

/** A refund that is cancelled after it had succeeded counts as failed, so that `refund.failed` announces it. */
function asFailure(outcome: FinalOutcome): FinalOutcome {
  if (outcome.kind !== 'cancelled') return outcome;
  return { ...outcome, kind: 'failed', failure: failure('refund_refused', 'cancelled') };
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

/** The values of `settleOperations` that follow those of the transitions. */
export function valuesOfSettlements(settlements: readonly Settlement[]): (string | Buffer)[] {
  const column = <Value extends string | number | boolean | null>(value: (settlement: Settlement) => Value) =>
    settlements.map(value);
  return [
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
}
