import { dayMs, hourMs, minuteMs, secondMs } from '../../../core/clock.ts';
import { publicId, uuidOfPublicId } from '../../../core/id.ts';

/** When a provider that has not said what became of an operation is asked: then every day, until it says. */
export const lookUpWaitsMs: readonly number[] = [5 * secondMs, 30 * secondMs, 5 * minuteMs, hourMs, dayMs];

/** The next look-up after so many. */
export function lookUpAt(lookUps: number, nowMs: number): number {
  return nowMs + (lookUpWaitsMs[Math.min(lookUps, lookUpWaitsMs.length - 1)] as number);
}

/** The provider's idempotency key of an operation: `txn_…-1`. */
export function operationKey(transactionId: string, number: number): string {
  return `${publicId('txn', transactionId)}-${number}`;
}

/** The payment and the number behind a key, or undefined where it is none of ours. */
export function operationOfKey(key: string): { transactionId: string; number: number } | undefined {
  const parts = /^(txn_[0-9a-f]{32})-(\d{1,4})$/.exec(key);
  const transactionId = parts?.[1] && uuidOfPublicId('txn', parts[1]);
  return transactionId ? { transactionId, number: Number(parts?.[2]) } : undefined;
}
