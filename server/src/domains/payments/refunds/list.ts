import type { Static } from 'typebox';
import { dayRangeOf } from '../../../core/days.ts';
import { invalid } from '../../../core/errors.ts';
import { firstUuidAt, uuidOfPublicId } from '../../../core/id.ts';
import { visibleModes } from '../../../core/livemode.ts';
import { defaultPageSize, type Pagination, paginationOf } from '../../../core/page.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { visibleTenants } from '../../identity/tenants/visible-tenants.ts';
import { type RefundRecord, recordOf } from './record.ts';
import type { refundListQuery } from './schema.ts';
import { countRefunds, findRefundPage } from './statements.ts';

/** One page of refunds, newest first, and their exact number, from one snapshot. Refunds are few enough to be counted. */
export function listRefunds(
  database: Database,
  query: Static<typeof refundListQuery>,
  principal: Principal,
): Promise<{ data: RefundRecord[]; pagination: Pagination }> {
  const { page = 1, pageSize = defaultPageSize, status, channelId } = query;
  const { fromMs, toMs } = dayRangeOf(query.startDate, query.endDate);
  const transactionId = paymentIdOf(query.transactionId);
  return database.snapshot(async (snapshot) => {
    const tenantIds = await visibleTenants(snapshot, principal);
    const namesRecord = transactionId !== undefined || channelId !== undefined;
    const modes = visibleModes(principal, query.livemode, { namesRecord });
    const filter = [tenantIds, firstUuidAt(fromMs), firstUuidAt(toMs), transactionId, status, channelId, modes];
    const [count] = await snapshot.run(countRefunds, filter);
    const rows = await snapshot.run(findRefundPage, [...filter, (page - 1) * pageSize, pageSize]);
    return { data: rows.map(recordOf), pagination: paginationOf({ page, pageSize }, count?.total ?? 0) };
  });
}

function paymentIdOf(publicId: string | undefined): string | undefined {
  if (publicId === undefined) return undefined;
  const id = uuidOfPublicId('txn', publicId);
  if (id === undefined) throw invalid('transactionId', "transactionId must be a transaction's id, such as txn_….");
  return id;
}
