import type { Static } from 'typebox';
import { defaultPageSize, type Pagination, paginationOf } from '../../../core/page.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import { tenantsSeen } from '../../identity/tenants/visible-tenants.ts';
import { recordOf, type SubscriptionRecord } from './record.ts';
import type { listQuery } from './schema.ts';
import { type SubscriptionRow, subscriptionColumns } from './statements.ts';

const filters = `s.tenant_id = any ($1::bigint[]) and ($2::bigint is null or s.customer_id = $2)
      and ($3::bigint is null or s.plan_id = $3) and ($4::text is null or s.state = $4)`;

const listSubscriptions = statement<SubscriptionRow>(
  'subscriptions.list',
  `select ${subscriptionColumns} from subscription s where ${filters} order by s.id desc offset $5 limit $6`,
);

const countSubscriptions = statement<{ total: number }>(
  'subscriptions.count',
  `select count(*) as total from subscription s where ${filters}`,
);

/** One page of subscriptions, newest first, with the exact total: both of one moment. */
export function readSubscriptionPage(
  database: Database,
  query: Static<typeof listQuery>,
  principal: Principal,
): Promise<{ data: SubscriptionRecord[]; pagination: Pagination }> {
  const { page = 1, pageSize = defaultPageSize, customerId = null, planId = null, state = null } = query;
  return database.snapshot(async (moment) => {
    const values = [await tenantsSeen(moment, principal), customerId, planId, state];
    const [count] = await moment.run(countSubscriptions, values);
    const rows = await moment.run(listSubscriptions, [...values, (page - 1) * pageSize, pageSize]);
    return { data: rows.map(recordOf), pagination: paginationOf({ page, pageSize }, count?.total ?? 0) };
  });
}
