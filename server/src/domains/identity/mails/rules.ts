import { hourMs, minuteMs } from '../../../core/clock.ts';

/** The wait after each failure: about three days in all, because a mail server can be down over a weekend. */
export const retryWaitsMs: readonly number[] = [
  minuteMs,
  5 * minuteMs,
  15 * minuteMs,
  ...[1, 3, 6, 12, 24, 24].map((hours) => hours * hourMs),
];

/** When a mail is retried after `tries` earlier failures; undefined: it is not. */
export function retryAt(tries: number, nowMs: number): number | undefined {
  const waitMs = retryWaitsMs[tries];
  return waitMs === undefined ? undefined : nowMs + waitMs;
}
