import type { Static } from 'typebox';
import { listedModes } from '../../../core/livemode.ts';
import { createdLimitsOf } from '../../../platform/lists/created.cte.ts';
import { filteredList } from '../../../platform/lists/list.ts';
import { defineList } from '../../identity/tenants/define-list.ts';
import { tenantOfRow } from '../../identity/tenants/visible-tenants.ts';
import type { BillingApp } from '../app.ts';
import { checkoutFilters as filters, statements } from './list-statements.ts';
import { recordFor } from './record.ts';
import type { checkoutListQuery, checkoutRow } from './schema.ts';
import type { CheckoutRow } from './statements.ts';

type Query = Static<typeof checkoutListQuery>;

export const listCheckouts = defineList<Query, CheckoutRow, Static<typeof checkoutRow>, BillingApp>({
  async find({ query, principal, tenantIds }, app) {
    const modes = listedModes(principal, query.livemode, [query.invoiceId]);
    const given = { ...query, ...statusFilter(query.status, app.clock()), modes, ...createdLimitsOf(query) };
    const uncounted = query.status && 'status';
    return filteredList(app, { name: 'checkouts', tenantIds, query, given, filters, statements, uncounted });
  },
  listedAs({ principal }, app) {
    const nowMs = app.clock();
    return (row) => ({ ...recordFor(principal, row, nowMs, app), ...tenantOfRow(principal, row) });
  },
});

/** The filters for a status at this time. */
function statusFilter(status: Query['status'], nowMs: number) {
  if (status === 'PAID') return { paid: true };
  if (status === 'PROCESSING') return { processing: true };
  if (status === 'OPEN') return { openAtMs: nowMs };
  return status === 'EXPIRED' ? { expiredAtMs: nowMs } : {};
}
