import type { Static } from 'typebox';
import type { Clock } from '../../../../core/clock.ts';
import { maximumAmount } from '../../../../core/currency.ts';
import { invalid, Refusal } from '../../../../core/errors.ts';
import { type PricedLines, priceLines } from '../../../../core/price-lines.ts';
import { rule } from '../../../../core/refusal-rules.ts';
import type { Call } from '../../../../platform/http/route.ts';
import type { Database } from '../../../../platform/postgres/database.ts';
import { findPlan } from '../../plans/statements.ts';
import { subscriptionNowMs } from '../periods/subscription-time.ts';
import { readSubscription } from '../read.ts';
import { type Carried, type ChangeLine, invoiceLinesOf, isSomethingDue, type Line } from '../renewal/invoice-lines.ts';
import { renewalOf } from '../renewal/renew.ts';
import { msOf, timeOf, withChange } from '../rules.ts';
import type { previewedInvoice, previewQuery } from '../schema.ts';
import { pendingLinesOf, type SubscriptionWithTerms } from '../statements.ts';
import { hasEnded } from '../states.ts';
import { termsFor } from './update.ts';

type Previewed = Static<typeof previewedInvoice>;

/** Previews the next invoice, optionally as it would be after a change of terms. Writes nothing. */
export async function previewInvoice(
  { query, principal }: Call<unknown, Static<typeof previewQuery>>,
  { database, clock }: { database: Database; clock: Clock },
): Promise<Previewed> {
  return database.snapshot(async (snapshot) => {
    const row = await readSubscription(snapshot, query.id, principal);
    const nowMs = await subscriptionNowMs(snapshot, row, clock);
    const terms = await termsFor(snapshot, row, query, nowMs, findPlan);
    const pending = await pendingLinesOf(snapshot, [row]);
    const changes = [...pending, ...terms.lines];
    const after = withChange({ ...row, ...terms.to }, {}, nowMs);
    return upcomingInvoice(after, changes, query.invoiceNow === true, nowMs);
  });
}

function upcomingInvoice(
  row: SubscriptionWithTerms,
  changes: readonly ChangeLine[],
  invoiceNow: boolean,
  nowMs: number,
): Previewed {
  const isDue = isSomethingDue(changes);
  if (invoiceNow && isDue) return previewOf(row, invoiceLinesOf(undefined, changes), timeOf(nowMs));
  // When its failed invoices are paid, a PAST_DUE subscription is invoiced for the missed periods.
  const renewing = row.state === 'PAST_DUE' ? withChange(row, { state: 'ACTIVE' }, nowMs) : row;
  if (hasEnded(renewing.state) || renewing.due_at === null) return null;
  const { after, invoice } = renewalOf(renewing, msOf(renewing.due_at));
  const period = invoice?.period;
  if (period !== undefined) {
    const isLast = after.end_at !== null && msOf(after.end_at) <= period.endMs;
    return previewOf(row, invoiceLinesOf(period.line, changes, { isLast }), renewing.due_at, [
      after.period_start,
      after.period_end,
    ]);
  }
  return isDue ? previewOf(row, invoiceLinesOf(undefined, changes), renewing.due_at) : null;
}

function previewOf(
  { currency }: SubscriptionWithTerms,
  { lines, carried }: { lines: Line[]; carried: Carried[] },
  invoiceTime: string,
  [periodStart, periodEnd]: [string, string] | [null, null] = [null, null],
): Previewed {
  const carriedSum = carried.reduce((sum, { amount }) => sum + amount, 0);
  return { currency, ...pricedLines(lines), carried: carriedSum, invoiceTime, periodStart, periodEnd };
}

function pricedLines(lines: readonly Line[]): PricedLines {
  try {
    return priceLines(lines);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw invalid('quantity', rule('invoice_too_much', { limit: maximumAmount }));
  }
}
