import type { Static } from 'typebox';
import { maximumAmount } from '../../../core/currency.ts';
import { invalid, notFound } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { tenantsSeen } from '../../identity/tenants/visible-tenants.ts';
import { findPlan } from '../plans/statements.ts';
import { customerNowMs, type SubscriptionDeps } from './payer.ts';
import { renewalOf } from './renew.ts';
import { invoiceLinesOf, type Line, msOf, timeOf, withChange } from './rules.ts';
import type { previewedInvoice, previewQuery } from './schema.ts';
import { findSubscription, pendingLinesOf, type SubscriptionWithTerms } from './statements.ts';
import { hasEnded } from './states.ts';
import { termsFor } from './update.ts';

type Previewed = Static<typeof previewedInvoice>;

/** The invoice that is coming, as things stand or as they would after a change; nothing is written. */
export async function previewInvoice(
  query: Static<typeof previewQuery>,
  principal: Principal,
  { database, clock }: Pick<SubscriptionDeps, 'clock'> & { database: Database },
): Promise<Previewed> {
  return database.snapshot(async (moment) => {
    const [row] = await moment.run(findSubscription, [await tenantsSeen(moment, principal), query.id]);
    if (row === undefined) throw notFound('subscription', query.id);
    const nowMs = await customerNowMs(moment, row, clock);
    const terms = await termsFor(moment, row, query, nowMs, findPlan);
    const pending = await pendingLinesOf(moment, [row]);
    const gathered = [...pending, ...terms.lines];
    const after = withChange({ ...row, ...terms.to }, {}, nowMs);
    return upcomingInvoice(after, gathered, query.invoiceNow === true, nowMs);
  });
}

function upcomingInvoice(
  row: SubscriptionWithTerms,
  gathered: readonly { description: string; amount: number }[],
  isNow: boolean,
  nowMs: number,
): Previewed {
  const owed = gathered.reduce((sum, { amount }) => sum + amount, 0);
  if (isNow && owed > 0) return previewOf(row, invoiceLinesOf(undefined, gathered), timeOf(nowMs));
  // Once it has been paid, a period that has begun meanwhile is invoiced.
  const going = row.state === 'PAST_DUE' ? withChange(row, { state: 'ACTIVE' }, nowMs) : row;
  if (hasEnded(going.state) || going.due_at === null) return null;
  const { after, invoice } = renewalOf(going, msOf(going.due_at));
  const period = invoice?.period;
  if (period !== undefined) {
    return previewOf(row, invoiceLinesOf(period.line, gathered), going.due_at, [after.period_start, after.period_end]);
  }
  return owed > 0 ? previewOf(row, invoiceLinesOf(undefined, gathered), going.due_at) : null;
}

function previewOf(
  { currency }: SubscriptionWithTerms,
  { lines, carried }: { lines: Line[]; carried: number },
  invoiceTime: string,
  [periodStart, periodEnd]: [string, string] | [null, null] = [null, null],
): Previewed {
  const priced = lines.map((line) => ({ ...line, amount: line.quantity * line.unitAmount }));
  const total = priced.reduce((sum, { amount }) => sum + amount, 0);
  if (total > maximumAmount) throw invalid('quantity', 'That comes to more than one invoice can hold.');
  return { currency, lines: priced, total, carried, invoiceTime, periodStart, periodEnd };
}
