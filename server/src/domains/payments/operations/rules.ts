import { dayMs, hourMs, minuteMs, secondMs } from '../../../core/clock.ts';
import { publicId, uuidOfPublicId } from '../../../core/id.ts';
import { lookUpAt, maximumLimitWaitMs } from '../operation-queue/rules.ts';
import { failure } from '../providers/failures.ts';
import { isFinal } from '../transactions/states.ts';
import type { FinalOutcome } from './effect.ts';
import type { OperationRow } from './statements.ts';

/**
 * What to do with a claimed operation: call its provider, postpone it, or settle it with this outcome without a call.
 */
export type Decision = 'call_provider' | 'postpone' | FinalOutcome;

/**
 * | Operation                                  | Decision                             |
 * | ------------------------------------------ | ------------------------------------ |
 * | any, of a disabled provider                | failed: `sandbox_disabled`           |
 * | charge or cancel not sent, payment ended   | cancelled: nothing is left to do     |
 * | cancel, no charge is active                | failed: nothing to cancel            |
 * | cancel, the charge is being sent           | postpone                             |
 * | any other                                  | call the provider                    |
 */
export function decide(operation: OperationRow, isProviderDisabled: boolean): Decision {
  const { kind, state, status, charge_number, charge_state } = operation;
  if (isProviderDisabled) return providerDisabled;
  if (kind !== 'REFUND' && state === 'READY' && isFinal(status)) return { kind: 'cancelled' };
  if (kind !== 'CANCEL') return 'call_provider';
  if (charge_number === null) return nothingToCancel;
  // If the provider got the cancellation first, it would find nothing to cancel, and then take the money.
  if (charge_state === 'READY' || charge_state === 'CALLING') return 'postpone';
  return 'call_provider';
}

const providerDisabled: FinalOutcome = {
  kind: 'failed',
  failure: failure('invalid_operation', 'sandbox_disabled', 'The sandbox is disabled here.'),
};
const nothingToCancel: FinalOutcome = {
  kind: 'failed',
  failure: failure('invalid_operation', null, 'There is no charge in progress that could be cancelled.'),
};

/**
 * When an operation that a rate limit refused is due again. Undefined: never, because it is a charge that has been
 * limited for `maximumMs`. Refunds and cancellations have no other channel and nobody who waits at a till: they are
 * sent until the provider takes them.
 *
 * Without a wait named by the provider it is a quarter of the time since the first refusal, between 1 s and 1 min.
 */
export function limitedRetryAt(
  { kind, operation_limited_ms: firstMs }: Pick<OperationRow, 'kind' | 'operation_limited_ms'>,
  askedMs: number | undefined,
  nowMs: number,
  maximumMs: number,
): number | undefined {
  const sinceMs = Math.min(firstMs ?? nowMs, nowMs);
  const endMs = kind === 'CHARGE' ? sinceMs + maximumMs : Number.POSITIVE_INFINITY;
  if (nowMs >= endMs) return undefined;
  const ownMs = Math.min(Math.max((nowMs - sinceMs) / 4, secondMs), minuteMs);
  return Math.min(nowMs + boundedWaitMs(askedMs ?? ownMs), endMs);
}

/**
 * When a look-up that a rate limit refused is due again: when the provider says so, otherwise by the schedule of
 * look-ups.
 */
export function limitedLookUpAt({ look_ups }: OperationRow, askedMs: number | undefined, nowMs: number): number {
  return askedMs === undefined ? lookUpAt(look_ups, nowMs) : nowMs + boundedWaitMs(askedMs);
}

function boundedWaitMs(askedMs: number): number {
  return Math.min(Math.max(askedMs, 0), maximumLimitWaitMs);
}

/** How long before an authorization ends that is announced. */
export const expiringBeforeMs = dayMs;
/** How often an authorization is looked up whose end has passed. */
const endedLookUpMs = hourMs;

/**
 * When an authorized charge is looked up next: once a day, when its end is to be announced, and when it has come. A
 * clock never ends an authorization: the provider says that it has ended. `tellsExpiring`: its end is to be announced
 * now.
 */
export function nextLookUpOfAuthorized(
  {
    capture_before,
    expiring_at,
    amount_capturable,
  }: Pick<OperationRow, 'capture_before' | 'expiring_at' | 'amount_capturable'>,
  reported: string | null,
  nowMs: number,
): { dueMs: number; tellsExpiring: boolean } {
  const end = reported ?? capture_before;
  const endMs = end === null ? Number.POSITIVE_INFINITY : Date.parse(end);
  if (nowMs >= endMs) return { dueMs: nowMs + endedLookUpMs, tellsExpiring: false };
  const announcedMs = endMs - expiringBeforeMs;
  const isTold = expiring_at !== null;
  // The authorization itself is told first.
  const tellsExpiring = amount_capturable !== null && !isTold && nowMs >= announcedMs;
  const nextMs = isTold || tellsExpiring ? endMs : Math.max(announcedMs, nowMs);
  return { dueMs: Math.min(nextMs, nowMs + dayMs), tellsExpiring };
}

/** The idempotency key under which a provider knows an operation: `txn_…-1`. */
export function operationKey(transactionId: string, number: number): string {
  return `${publicId('txn', transactionId)}-${number}`;
}

/** The payment and the number of the operation in an idempotency key; undefined for a key that is not Florin's. */
export function parseOperationKey(key: string): { transactionId: string; number: number } | undefined {
  const parts = /^(txn_[0-9a-f]{32})-(\d{1,4})$/.exec(key);
  const transactionId = parts?.[1] && uuidOfPublicId('txn', parts[1]);
  return transactionId ? { transactionId, number: Number(parts?.[2]) } : undefined;
}
