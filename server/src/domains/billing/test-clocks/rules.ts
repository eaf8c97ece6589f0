import { invalid, Refusal } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';

/** The clock id of customers without a test clock. */
export const realClockId = 0;

/** Test clocks exist in STANDALONE mode only: production subscriptions run in real time. */
export function requireTestClocksOffered({ clocksOffered }: { clocksOffered: boolean }, field?: string): void {
  if (clocksOffered) return;
  throw new Refusal('clocks_not_offered', 'Test clocks are only offered in STANDALONE mode.', field ? { field } : {});
}

/**
 * Statements take times as seconds in a double, which is exact to the microsecond until 2242. After that, work that is
 * due at the clock's time could be rounded to a later time, and the clock would wait for it forever.
 */
const latestMs = Date.UTC(2200, 0, 1);

/** A time that a test clock can have, in ms. */
export function parseClockTime(text: string, field: string): number {
  const atMs = Date.parse(text);
  if (Number.isNaN(atMs) || atMs < 0 || atMs > latestMs) {
    throw invalid(field, rule('time_1970_2200'));
  }
  return atMs;
}
