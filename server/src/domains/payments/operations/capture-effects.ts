import { type Failure, failure } from '../providers/failures.ts';
import { type CaptureRecord, captureRecordOf } from '../transactions/capture-record.ts';
import { capturedAmountOf } from '../transactions/captured.ts';
import type { Transition } from '../transactions/transition.cte.ts';
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

export function authorized({ row, method, atMs }: SettlementFacts, { reference, captureBefore }: Authorized): Effect {
  return effect(
    {
      row,
      to: 'PROCESSING',
      atMs,
      providerReference: reference,
      channelId: row.operation_channel_id,
      ...(method?.kind === 'kept' && row.method_id === null && { methodId: method.id }),
      writesEvent: row.status === 'PENDING',
      authorization: { begins: { captureBefore }, event: { type: 'transaction.authorized' } },
    },
    { isAuthorization: true },
  );
}

export function expiring({ row, atMs }: SettlementFacts): Effect {
  const event = { type: 'transaction.authorization_expiring' } as const;
  return effect({ row, to: row.status, atMs, authorization: { event } }, { tellsExpiring: true });
}

/** The provider holds nothing any more of the amount: it was captured, released or cancelled, or it has expired. */
export function authorizationEnded(facts: SettlementFacts, outcome: FinalOutcome): Effect {
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
export function captureSucceeded(facts: SettlementFacts, { fee, isReleased = false }: Succeeded): Effect {
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

export function captureFailed(facts: SettlementFacts, { failure: reason }: Failed): Effect {
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

export function released({ row, atMs }: SettlementFacts): Effect {
  return effect(succeedsNow(row, atMs));
}

/** After a final capture nothing more can be captured: the payment then waits for the authorization to end. */
export function releaseFailed({ row, atMs }: SettlementFacts): Effect {
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

/** Whether a charge that is captured by requests is said to have taken money before any capture. */
export function takesWithoutCapture(row: OperationRow, outcome: FinalOutcome): boolean {
  const { kind, capture_method } = row;
  const isManual = kind === 'CHARGE' && capture_method === 'MANUAL';
  return isManual && outcome.kind === 'succeeded' && capturedAmountOf(row) === 0;
}
