import type { Static } from 'typebox';
import { visibleModes } from '../../../core/livemode.ts';
import { defaultPageSize, type Pagination, paginationOf } from '../../../core/page.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { visibleTenants } from '../../identity/tenants/visible-tenants.ts';
import { recordOf, type SubscriptionRecord } from './record.ts';
import type { listQuery } from './schema.ts';
import { countSubscriptions, listSubscriptions } from './statements.ts';

/** Reads one page of subscriptions, newest first, and the exact total from the same snapshot. */
export function readSubscriptionPage(
  database: Database,
  query: Static<typeof listQuery>,
  principal: Principal,
): Promise<{ data: SubscriptionRecord[]; pagination: Pagination }> {
  const { page = 1, pageSize = defaultPageSize, customerId = null, planId = null, state = null } = query;
  return database.snapshot(async (snapshot) => {
    const modes = visibleModes(principal, query.livemode, { namesRecord: customerId !== null || planId !== null });
    const values = [await visibleTenants(snapshot, principal), customerId, planId, state, modes];
    const [count] = await snapshot.run(countSubscriptions, values);
    const rows = await snapshot.run(listSubscriptions, [...values, (page - 1) * pageSize, pageSize]);
    return { data: rows.map(recordOf), pagination: paginationOf({ page, pageSize }, count?.total ?? 0) };
  });
}
