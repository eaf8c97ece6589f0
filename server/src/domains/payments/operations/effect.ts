import type { MethodEffect } from '../methods/charges.ts';
import type { ProviderName } from '../providers/directory.ts';
import { failure } from '../providers/failures.ts';
import type { Outcome } from '../providers/outcome.ts';
import type { RefundRow } from '../refunds/statements.ts';
import type { CaptureRow } from '../transactions/capture-record.ts';
import { isAuthorized } from '../transactions/captured.ts';
import type { Transition } from '../transactions/transition.cte.ts';
import type { OperationRow } from './statements.ts';
import type { SettledBy } from './states.ts';

/** An outcome that the provider does not revise, except for refunds that fail after they had succeeded. */
export type FinalOutcome = Extract<Outcome, { kind: 'succeeded' | 'failed' | 'cancelled' }>;
/** The charge of a payment that is captured by requests has reserved its amount. The charge stays open. */
export type Authorized = Extract<Outcome, { kind: 'authorized' }>;
export type Succeeded = Extract<Outcome, { kind: 'succeeded' }>;
export type Failed = Extract<Outcome, { kind: 'failed' }>;
export type Cancelled = Extract<Outcome, { kind: 'cancelled' }>;

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

/** What an outcome does to the payment and the refund of its operation. */
export interface Effect {
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

export function effect(transition: Transition, further: Partial<Effect> = {}): Effect {
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

export function unchanged({ row, atMs }: SettlementFacts, nextAction?: OperationRow['next_action']): Effect {
  return effect({ row, to: row.status, atMs, ...(nextAction && { nextAction }) });
}

/** A charge that was given up has failed. */
export function chargeCancelled({ row, atMs }: SettlementFacts, cancelled?: Cancelled): Effect {
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
