import type { Static } from 'typebox';
import { utcDay } from '../../../core/clock.ts';
import type { Call } from '../../../platform/http/route.ts';
import { listedTenants } from '../../identity/tenants/visible-tenants.ts';
import type { BillingApp } from '../app.ts';
import type { invoiceSummary, summaryQuery } from './schema.ts';
import { sumOpen } from './statements.ts';

/** What is left to pay of open invoices, by currency. */
export async function summarizeInvoices(
  { query, principal }: Call<unknown, Static<typeof summaryQuery>>,
  { listDatabase, clock }: BillingApp,
): Promise<Static<typeof invoiceSummary>> {
  const livemode = principal.livemode ?? query.livemode ?? true;
  const tenants = await listedTenants(listDatabase, principal, query.tenantId);
  const rows = await listDatabase.run(sumOpen, [tenants, livemode, query.customerId ?? null, utcDay(clock())]);
  const currencies = rows.map(({ currency, open, overdue, remaining, remaining_overdue }) => ({
    currency,
    open,
    overdue,
    amountRemaining: remaining,
    amountOverdue: remaining_overdue,
  }));
  return { livemode, currencies };
}
