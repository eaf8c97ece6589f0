import { timeOf, withChange, withEnd } from './rules.ts';
import type { SubscriptionWithTerms } from './statements.ts';
import { hasEnded } from './states.ts';
import type { ChargeRow } from './write-statements.ts';

/** What became of an invoice of a subscription. */
export interface ChargeOutcome {
  tenantId: number;
  invoiceId: number;
  /** `freed`: a payment that was none of our tries has ended, and something is left to pay. */
  outcome: 'paid' | 'failed' | 'closed' | 'freed';
  /** In the customer's time. */
  atMs: number;
}

/** A subscription whose lock is held, with all its charges that are not settled. */
export interface DunningState {
  row: SubscriptionWithTerms;
  charges: readonly ChargeRow[];
}

/**
 * What news of one charge does to its subscription. A payment that failed makes it PAST_DUE and is tried again after the
 * waits in `retryIntervalsMs`, each from the failure before it; when they are used up it is CANCELLED, and nothing is tried
 * any more. Once nothing has failed that is not paid, it is ACTIVE again. One that has ended is not tried again.
 */
export function applyOutcome(
  { row, charges }: DunningState,
  news: ChargeOutcome,
  retryIntervalsMs: readonly number[],
): DunningState {
  const charge = charges.find(({ invoice_id }) => invoice_id === news.invoiceId);
  if (charge === undefined) return { row, charges };
  const others = charges.filter((other) => other !== charge);
  if (news.outcome === 'freed') {
    const isWaiting = charge.due_at !== null || hasEnded(row.state);
    return { row, charges: isWaiting ? charges : [...others, { ...charge, due_at: timeOf(news.atMs) }] };
  }
  if (news.outcome !== 'failed') {
    const settled: ChargeRow = { ...charge, state: 'SETTLED', due_at: null };
    const isClear = others.every(({ state }) => state !== 'FAILED');
    const isBack = row.state === 'PAST_DUE' && isClear;
    return { row: isBack ? withChange(row, { state: 'ACTIVE' }, news.atMs) : row, charges: [...others, settled] };
  }
  const failures = charge.failures + 1;
  const waitMs = retryIntervalsMs[failures - 1];
  const failed: ChargeRow = { ...charge, state: 'FAILED', failures, due_at: null };
  if (hasEnded(row.state)) return { row, charges: [...others, failed] };
  if (waitMs === undefined) {
    return {
      row: withEnd(row, 'CANCELLED', timeOf(news.atMs), news.atMs),
      charges: [...others, failed].map(withoutRetry),
    };
  }
  const again = { ...failed, due_at: timeOf(news.atMs + waitMs) };
  const isNew = row.state === 'ACTIVE';
  return { row: isNew ? withChange(row, { state: 'PAST_DUE' }, news.atMs) : row, charges: [...others, again] };
}

/** Of a subscription that has ended, what has failed is not tried again; what has not been tried yet still is. */
export function withoutRetry(charge: ChargeRow): ChargeRow {
  return charge.state === 'FAILED' && charge.due_at !== null ? { ...charge, due_at: null } : charge;
}
