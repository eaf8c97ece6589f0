import { dayMs, hourMs, minuteMs, secondMs } from '../../../core/clock.ts';

/**
 * Waits before each look-up of an operation without a final outcome; the last one repeats until the provider decides.
 */
export const lookUpWaitsMs: readonly number[] = [5 * secondMs, 30 * secondMs, 5 * minuteMs, hourMs, dayMs];

/** The longest wait that a provider's `Retry-After` can ask for. */
export const maximumLimitWaitMs = hourMs;

/** When the next look-up is due, after this number of look-ups. */
export function lookUpAt(lookUps: number, nowMs: number): number {
  return nowMs + (lookUpWaitsMs[Math.min(lookUps, lookUpWaitsMs.length - 1)] as number);
}
