import type { ChargeRow } from '../renewal/write-statements.ts';
import { timeOf, withChange, withEnd } from '../rules.ts';
import type { SubscriptionWithTerms } from '../statements.ts';
import { hasEnded } from '../states.ts';

/** The outcome of the charge for an invoice. */
export interface ChargeOutcome {
  tenantId: number;
  invoiceId: number;
  /**
   * `freed`: a payment by a user has ended, or one of several partial payments, and an amount is left to pay.
   * `cancelled`: the automatic payment was cancelled, which is no failure.
   */
  outcome: 'paid' | 'failed' | 'cancelled' | 'closed' | 'freed';
  /** In the customer's time. */
  atMs: number;
}

/** A locked subscription with all its unsettled charges. */
export interface DunningState {
  row: SubscriptionWithTerms;
  charges: readonly ChargeRow[];
}

/**
 * Applies the outcome of a charge to its subscription. A failed payment makes the subscription PAST_DUE and is retried
 * after the intervals in `retryIntervalsMs`, each counted from the failure before; after the last failure the
 * subscription is CANCELLED and nothing is retried. After a cancelled payment the next attempt waits as long as after a
 * failed one, but the subscription does not change, and nothing is counted. When no failed charge is left, the
 * subscription is ACTIVE again. An ended subscription gets no retries.
 */
export function applyOutcome(
  { row, charges }: DunningState,
  { invoiceId, outcome, atMs }: ChargeOutcome,
  retryIntervalsMs: readonly number[],
): DunningState {
  const charge = charges.find(({ invoice_id }) => invoice_id === invoiceId);
  if (charge === undefined) return { row, charges };
  const others = charges.filter((other) => other !== charge);
  if (outcome === 'freed') {
    const isScheduled = charge.due_at !== null || hasEnded(row.state);
    return { row, charges: isScheduled ? charges : [...others, { ...charge, due_at: timeOf(atMs) }] };
  }
  if (outcome === 'cancelled') {
    const waitMs = retryIntervalsMs[charge.failures];
    const isScheduled = charge.due_at !== null || hasEnded(row.state) || waitMs === undefined;
    return { row, charges: isScheduled ? charges : [...others, { ...charge, due_at: timeOf(atMs + waitMs) }] };
  }
  return outcome === 'failed'
    ? scheduleRetry(row, charge, others, atMs, retryIntervalsMs)
    : settleCharge(row, charge, others, atMs);
}

function settleCharge(
  row: SubscriptionWithTerms,
  charge: ChargeRow,
  others: readonly ChargeRow[],
  atMs: number,
): DunningState {
  const settled: ChargeRow = { ...charge, state: 'SETTLED', due_at: null };
  const isRecovered = row.state === 'PAST_DUE' && others.every(({ state }) => state !== 'FAILED');
  return { row: isRecovered ? withChange(row, { state: 'ACTIVE' }, atMs) : row, charges: [...others, settled] };
}

function scheduleRetry(
  row: SubscriptionWithTerms,
  charge: ChargeRow,
  others: readonly ChargeRow[],
  atMs: number,
  retryIntervalsMs: readonly number[],
): DunningState {
  const failures = charge.failures + 1;
  const failed: ChargeRow = { ...charge, state: 'FAILED', failures, due_at: null };
  if (hasEnded(row.state)) return { row, charges: [...others, failed] };
  const waitMs = retryIntervalsMs[failures - 1];
  if (waitMs === undefined) {
    return { row: withEnd(row, 'CANCELLED', timeOf(atMs), atMs), charges: [...others, failed].map(withoutRetry) };
  }
  const scheduled = { ...failed, due_at: timeOf(atMs + waitMs) };
  const isFirstFailure = row.state === 'ACTIVE';
  return { row: isFirstFailure ? withChange(row, { state: 'PAST_DUE' }, atMs) : row, charges: [...others, scheduled] };
}

/** When the first of the failed charges is retried; null: none is. */
export function nextPaymentAttemptOf(charges: readonly ChargeRow[]): string | null {
  const times = charges.flatMap(({ state, due_at }) => (state === 'FAILED' && due_at !== null ? [due_at] : []));
  return times.toSorted()[0] ?? null;
}

/** A charge of an ended subscription. A failed payment is not retried, but a first attempt is still made. */
export function withoutRetry(charge: ChargeRow): ChargeRow {
  return charge.state === 'FAILED' && charge.due_at !== null ? { ...charge, due_at: null } : charge;
}
