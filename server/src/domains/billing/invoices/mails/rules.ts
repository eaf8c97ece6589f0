import { hourMs, minuteMs } from '../../../../core/clock.ts';

/** Waits after each failure: about three days in all, since a mail server can be away over a weekend. */
export const retryWaitsMs: readonly number[] = [
  minuteMs,
  5 * minuteMs,
  15 * minuteMs,
  ...[1, 3, 6, 12, 24, 24].map((hours) => hours * hourMs),
];

/** When a mail is sent again after this many failures; undefined after the last one. */
export function retryAt(tries: number, nowMs: number): number | undefined {
  const waitMs = retryWaitsMs[tries];
  return waitMs === undefined ? undefined : nowMs + waitMs;
}
