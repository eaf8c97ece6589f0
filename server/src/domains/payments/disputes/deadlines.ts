import { dayMs, isoTime } from '../../../core/clock.ts';
import type { DisputeRow } from './record.ts';

/** Of how many days before an answer is due receivers are told. */
export const dueSoonDays = [3, 1] as const;

/** What is due next of a dispute: to tell that its answer is due soon, or that it was not given in time. */
export interface Deadline {
  atMs: number;
  /** Null: it expires. */
  daysLeft: number | null;
}

type Deadlines = Pick<DisputeRow, 'status' | 'respond_by' | 'days_told'>;

/** Of an OPEN dispute that can be answered. What was missed is told at once, and only the latest of it. */
export function nextDeadline({ status, respond_by, days_told }: Deadlines, nowMs: number): Deadline | undefined {
  if (status !== 'OPEN' || respond_by === null) return undefined;
  const respondByMs = Date.parse(respond_by);
  if (respondByMs <= nowMs) return { atMs: respondByMs, daysLeft: null };
  const left = dueSoonDays.filter((days) => days < (days_told ?? Number.POSITIVE_INFINITY));
  const missed = left.filter((days) => respondByMs - days * dayMs <= nowMs);
  const daysLeft = missed.at(-1) ?? left[0];
  return daysLeft === undefined
    ? { atMs: respondByMs, daysLeft: null }
    : { atMs: respondByMs - daysLeft * dayMs, daysLeft };
}

/** When the next deadline of a dispute passes, for its column. */
export function deadlineAfter(row: Deadlines, nowMs: number): string | null {
  const deadline = nextDeadline(row, nowMs);
  return deadline === undefined ? null : isoTime(deadline.atMs);
}
