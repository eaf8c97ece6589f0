import type { Static } from 'typebox';
import { listedModes } from '../../../core/livemode.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Answer, Call } from '../../../platform/http/route.ts';
import { createdLimitsOf } from '../../../platform/lists/created.cte.ts';
import { filteredList, type ListDeps, pageOf } from '../../../platform/lists/list.ts';
import { listedTenants, tenantOfRow } from '../../identity/tenants/visible-tenants.ts';
import type { BillingApp } from '../app.ts';
import { checkoutFilters, statements } from './list-statements.ts';
import { recordFor } from './record.ts';
import type { checkoutListQuery, checkoutRow } from './schema.ts';

type Query = Static<typeof checkoutListQuery>;

/** Lists a page of the checkouts that the caller may see and that match the query. */
export async function listCheckouts(
  { query, principal }: Pick<Call<unknown, Query>, 'query' | 'principal'>,
  app: ListDeps & BillingApp,
): Promise<Answer<Static<typeof checkoutRow>[]>> {
  const nowMs = app.clock();
  const { rows, pagination } = await pageOf(await checkoutList(query, principal, nowMs, app), query);
  const data = rows.map((row) => ({ ...recordFor(principal, row, nowMs, app), ...tenantOfRow(principal, row) }));
  return { data, pagination };
}

async function checkoutList(query: Query, principal: Principal, nowMs: number, app: ListDeps) {
  const tenantIds = await listedTenants(app.listDatabase, principal, query.tenantId);
  const modes = listedModes(principal, query.livemode, [query.invoiceId]);
  const given = { ...query, ...statusFilter(query.status, nowMs), modes, ...createdLimitsOf(query) };
  const uncounted = query.status && 'status';
  return filteredList(app, {
    name: 'checkouts',
    tenantIds,
    query,
    given,
    filters: checkoutFilters,
    statements,
    uncounted,
  });
}

/** The filters for a status at this time. */
function statusFilter(status: Query['status'], nowMs: number) {
  if (status === 'PAID') return { paid: true };
  if (status === 'PROCESSING') return { processing: true };
  if (status === 'OPEN') return { openAtMs: nowMs };
  return status === 'EXPIRED' ? { expiredAtMs: nowMs } : {};
}
