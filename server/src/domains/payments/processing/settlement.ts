import { plainArray, textArray } from '../../../platform/postgres/array-literal.ts';
import type { ProviderName } from '../providers/directory.ts';
import { type Failure, failure as failureOf } from '../providers/failures.ts';
import type { Outcome } from '../providers/provider.ts';
import { failedRefund } from '../refunds/record.ts';
import type { RefundRow } from '../refunds/statements.ts';
import { isFinal, next } from '../transactions/states.ts';
import type { Transition } from '../transactions/transition.cte.ts';
import type { OperationRow, OperationState, SettledBy } from './statements.ts';

/** What a provider says for good. */
export type FinalOutcome = Extract<Outcome, { kind: 'succeeded' | 'failed' | 'cancelled' }>;

export function isFinalOutcome(outcome: Outcome): outcome is FinalOutcome {
  return outcome.kind === 'succeeded' || outcome.kind === 'failed' || outcome.kind === 'cancelled';
}

/** Another channel to try the same charge through. */
export interface NextChannel {
  id: number;
  provider: ProviderName;
}

/** A final outcome and everything that follows from it, ready to be written by one statement. */
export interface Settlement {
  move: Transition;
  number: number;
  lease: string | null;
  state: OperationState;
  reference: string | null;
  failure: Failure | null;
  settledBy: SettledBy;
  calls: number;
  lookUps: number;
  refundStatus: 'SUCCESS' | 'FAILED' | 'CANCELLED' | null;
  /** A refund that had succeeded has failed. */
  reverses: boolean;
  nextChannel: NextChannel | null;
}

export interface SettlementFacts {
  row: OperationRow;
  outcome: FinalOutcome;
  by: SettledBy;
  /** Only where nobody else may have called meanwhile. What a provider says for good is true whoever hears it. */
  lease?: string | null | undefined;
  /** What it took to learn it: how often the provider was called and looked up for it. */
  calls?: number | undefined;
  lookUps?: number | undefined;
  nextChannel?: NextChannel | null;
  /** The refund that has failed, for its event. */
  refund?: RefundRow | undefined;
  atMs: number;
}

/** What an outcome means for the payment, the refund and the operation. */
export function settlementOf(facts: SettlementFacts): Settlement {
  const { row, by, lease, nextChannel, atMs, calls = 0, lookUps = 0 } = facts;
  const outcome = reverses(row, facts.outcome, calls) ? failedAfterAll(facts.outcome) : facts.outcome;
  const failure = outcome.kind === 'failed' ? outcome.failure : null;
  const common = {
    number: row.number,
    lease: lease ?? null,
    state: stateOf[outcome.kind],
    reference: outcome.reference ?? null,
    failure,
    settledBy: by,
    calls,
    lookUps,
    refundStatus: null,
    reverses: false,
    nextChannel: null,
  };
  switch (row.kind) {
    case 'CHARGE':
      return { ...common, ...chargeMove(row, outcome, nextChannel ?? null, atMs) };
    case 'REFUND':
      return { ...common, ...refundMove(row, outcome, facts.refund, atMs) };
    case 'CANCEL':
      return { ...common, ...cancelMove(row, outcome, atMs) };
  }
}

const stateOf = { succeeded: 'SUCCEEDED', failed: 'FAILED', cancelled: 'CANCELLED' } as const;

function chargeMove(row: OperationRow, outcome: FinalOutcome, nextChannel: NextChannel | null, atMs: number) {
  const stays: Transition = { row, to: row.status, atMs };
  // A payment that has ended does not begin again: whatever comes now is written down (`contradicts`), and that is all.
  if (isFinal(row.status)) return { move: stays };
  const channelId = row.operation_channel_id;
  switch (outcome.kind) {
    case 'succeeded': {
      const fee = outcome.fee?.currency === row.currency ? { fee: outcome.fee.amount } : {};
      const providerReference = outcome.reference;
      return {
        move: { ...stays, to: 'SUCCESS', providerReference, channelId, ...fee, news: true } satisfies Transition,
      };
    }
    case 'failed': {
      if (nextChannel !== null) return { move: stays, nextChannel };
      const { code, message } = outcome.failure;
      const providerReference = outcome.reference;
      return {
        move: {
          ...stays,
          to: 'FAILED',
          failureCode: code,
          failureMessage: message,
          providerReference,
          news: true,
        } satisfies Transition,
      };
    }
    case 'cancelled':
      return { move: { ...stays, to: 'CANCELLED', news: true } satisfies Transition };
  }
}

function refundMove(row: OperationRow, outcome: FinalOutcome, refund: RefundRow | undefined, atMs: number) {
  const refundId = row.refund_id as string;
  const stays: Transition = { row, to: row.status, atMs, refundId };
  if (outcome.kind === 'succeeded') {
    const channelId = row.operation_channel_id;
    const move: Transition = { ...stays, to: 'REFUNDED', refunded: row.operation_amount, channelId, news: true };
    return { move, refundStatus: 'SUCCESS' as const };
  }
  // What is not given back is free to be given back again.
  const freed = { ...stays, held: -row.operation_amount };
  if (outcome.kind === 'cancelled') return { move: freed, refundStatus: 'CANCELLED' as const };
  if (refund === undefined) throw new Error(`The refund ${refundId} that has failed was not read.`);
  const objectJson = JSON.stringify(failedRefund(refund, outcome, atMs));
  const failed: Transition = { ...freed, refundEvent: { type: 'refund.failed', objectJson } };
  const refundStatus = 'FAILED' as const;
  if (!reverses(row, outcome)) return { move: failed, refundStatus };
  const move: Transition = {
    ...failed,
    to: row.amount_refunded > row.operation_amount ? 'REFUNDED' : 'SUCCESS',
    refunded: -row.operation_amount,
    channelId: row.operation_channel_id,
  };
  return { move, refundStatus, reverses: true };
}

/**
 * Whether a refund that had succeeded has failed: banks return money days later, and providers then say so by a callback or
 * when they are asked. What a call is answered with (a refusal, since the money has gone back already) says nothing of that.
 */
export function reverses({ kind, state }: OperationRow, outcome: FinalOutcome, calls = 0): boolean {
  return kind === 'REFUND' && state === 'SUCCEEDED' && outcome.kind !== 'succeeded' && calls === 0;
}

/** Called off after it had succeeded, a refund has failed too: its merchant must hear of it. */
function failedAfterAll(outcome: FinalOutcome): FinalOutcome {
  if (outcome.kind !== 'cancelled') return outcome;
  return { ...outcome, kind: 'failed', failure: failureOf('refund_refused', 'cancelled') };
}

function cancelMove(row: OperationRow, outcome: FinalOutcome, atMs: number) {
  const stays: Transition = { row, to: row.status, atMs, ...(row.next_action && { nextAction: row.next_action }) };
  if (outcome.kind === 'failed') return { move: stays };
  const move: Transition = next[row.status].includes('CANCELLED') ? { ...stays, to: 'CANCELLED', news: true } : stays;
  return { move: { ...move, nextAction: undefined }, state: 'SUCCEEDED' as const };
}

/** Whether what is said now cannot be true beside what was said before. */
export function contradicts(row: OperationRow, outcome: FinalOutcome, calls = 0): boolean {
  const finished = row.state === 'SUCCEEDED' || row.state === 'FAILED' || row.state === 'CANCELLED';
  if (reverses(row, outcome, calls)) return false;
  if (finished) return (row.state === 'SUCCEEDED') !== (outcome.kind === 'succeeded');
  // The payment ended otherwise, by another operation or by update, and now this charge turns out to have been made.
  return row.kind === 'CHARGE' && outcome.kind === 'succeeded' && isFinal(row.status);
}

/** The values of `settleOperations` behind those of the moves. */
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
