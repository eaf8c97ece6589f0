import { invalid } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { SubscriptionRow, SubscriptionWithTerms } from './statements.ts';
import { hasEnded, renewingStates, type SubscriptionState } from './states.ts';

export const msOf = (time: string): number => Date.parse(time);
export const timeOf = (atMs: number): string => new Date(atMs).toISOString();

/** When the subscription must be advanced: at the end of its period or at its own end; null: never. */
function dueTimeOf(row: SubscriptionRow): string | null {
  if (hasEnded(row.state)) return null;
  const hasPeriodEnd = row.cancel_at_period_end || isRenewing(row.state);
  const times = [hasPeriodEnd ? row.period_end : null, row.end_at].filter((time) => time !== null);
  return times.toSorted()[0] ?? null;
}

export const isRenewing = (state: SubscriptionState) => (renewingStates as readonly string[]).includes(state);

/** The next version of a subscription, with its new due time. */
export function withChange(
  row: SubscriptionWithTerms,
  to: Partial<SubscriptionRow>,
  nowMs: number,
): SubscriptionWithTerms {
  const now = timeOf(nowMs);
  const after = { ...row, ...to, version: row.version + 1, updated_at: now > row.updated_at ? now : row.updated_at };
  return { ...after, due_at: dueTimeOf(after) };
}

/** The last version of a subscription, which ended at `at`. */
export function withEnd(
  row: SubscriptionWithTerms,
  state: 'CANCELLED' | 'EXPIRED',
  at: string,
  nowMs: number,
): SubscriptionWithTerms {
  const none = { paused_at: null, next_plan_id: null, next_quantity: null, next_payment_attempt: null };
  return withChange(row, { state, ended_at: at, ...none }, nowMs);
}

const latestMs = Date.UTC(2970, 0, 1);

/** A time from a request, in ms. Refused outside 1970 to 2970. */
export function parseTime(text: string, field: string): number {
  const atMs = Date.parse(text);
  if (!Number.isSafeInteger(atMs) || atMs < 0 || atMs >= latestMs) {
    throw invalid(field, rule('time_1970_2970'));
  }
  return atMs;
}
