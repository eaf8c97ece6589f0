import type { Static } from 'typebox';
import { dayMs, utcDay } from '../../../core/clock.ts';
import { dayRangeOf } from '../../../core/days.ts';
import type { Call } from '../../../platform/http/route.ts';
import { listedTenants } from '../../identity/tenants/visible-tenants.ts';
import type { BillingApp } from '../app.ts';
import type { subscriptionSummary, summaryQuery } from './schema.ts';
import { summarize } from './summary-statements.ts';

const defaultDays = 30;

/** What subscriptions bring in a month now, and how many began and ended on some days, by currency. */
export async function summarizeSubscriptions(
  { query, principal }: Call<unknown, Static<typeof summaryQuery>>,
  { listDatabase, clock }: BillingApp,
): Promise<Static<typeof subscriptionSummary>> {
  const endDate = query.endDate ?? utcDay(clock());
  const startDate = query.startDate ?? utcDay(Date.parse(endDate) - (defaultDays - 1) * dayMs);
  const { fromMs, toMs } = dayRangeOf(startDate, endDate);
  const livemode = principal.livemode ?? query.livemode ?? true;
  const tenants = await listedTenants(listDatabase, principal, query.tenantId);
  const rows = await listDatabase.run(summarize, [tenants, livemode, query.customerId ?? null, fromMs, toMs]);
  const currencies = rows.map(({ monthly_amount: monthlyAmount, ...counts }) => ({ ...counts, monthlyAmount }));
  return { livemode, startDate, endDate, currencies };
}
