import type { Static } from 'typebox';
import { dayRangeOf } from '../../../../core/days.ts';
import { firstUuidAt, publicId } from '../../../../core/id.ts';
import { visibleModes } from '../../../../core/livemode.ts';
import { defaultPageSize, type Pagination, paginationOf } from '../../../../core/page.ts';
import type { Principal } from '../../../../core/principal.ts';
import type { Database, Queryable } from '../../../../platform/postgres/database.ts';
import { visibleTenants } from '../../../identity/tenants/visible-tenants.ts';
import type { listedTransaction, listQuery } from '../schema.ts';
import { rowsPerBucket } from '../totals/rollup.ts';
import { type ListedRow, listAllNewest, listAllOldest, listGroupsNewest, listGroupsOldest } from './list-statements.ts';
import { type Filter, locateInBuckets, locateInDays, type PageLocation } from './page-location.ts';

export type Listed = Static<typeof listedTransaction>;

/**
 * One page of payments, newest first, and their exact total, from one snapshot. The totals of each day tell which days to
 * skip without reading them; on busy days, buckets are skipped in the same way. What is left is read from the end that is
 * nearer to the page.
 */
export async function listTransactions(
  database: Pick<Database, 'snapshot'>,
  query: Static<typeof listQuery>,
  principal: Principal,
  bucketSize: number = rowsPerBucket,
): Promise<{ data: Listed[]; pagination: Pagination }> {
  const page = { page: query.page ?? 1, pageSize: query.pageSize ?? defaultPageSize };
  const days = dayRangeOf(query.startDate, query.endDate);
  return database.snapshot(async (snapshot) => {
    const filter: Filter = {
      tenantIds: await visibleTenants(snapshot, principal),
      modes: visibleModes(principal, query.livemode, { namesRecord: query.channelId !== undefined }),
      channelId: query.channelId ?? 0,
      userId: query.userId ?? 0,
      status: query.status ?? '*',
    };
    const inDays = await locateInDays(snapshot, filter, days, (page.page - 1) * page.pageSize, page.pageSize);
    const location = isFar(inDays, filter, bucketSize) ? await locateInBuckets(snapshot, filter, inDays) : inDays;
    const rows = location.rows === 0 ? [] : await readPage(snapshot, filter, location);
    return { data: rows.map(listedOf), pagination: paginationOf(page, location.total) };
  });
}

/**
 * Whether the page is so far from the nearer end that locating its buckets costs less than reading up to it. Locating them
 * takes a millisecond, mostly for planning. Rows of several groups or tenants are merged, and each is read that far, so
 * there buckets pay off sooner.
 */
function isFar(location: PageLocation, filter: Filter, bucketSize: number): boolean {
  const { rows, skip, take } = location;
  const isMerged = !isUnfiltered(filter, location) || filter.tenantIds.length > 1;
  return rows > bucketSize && Math.min(skip, rows - skip - take) > (isMerged ? bucketSize / 16 : bucketSize);
}

const isUnfiltered = ({ channelId, userId, status }: Filter, { hasOtherModes }: PageLocation) =>
  channelId === 0 && userId === 0 && status === '*' && !hasOtherModes;

async function readPage(snapshot: Queryable, filter: Filter, location: PageLocation): Promise<ListedRow[]> {
  const { ranges, rows, skip, take, firstDay, lastDay } = location;
  const skipFromOldest = rows - skip - take;
  const fromNewest = skip <= skipFromOldest;
  const values = [
    ranges.map(({ tenantId }) => tenantId),
    ranges.map(({ fromMs }) => firstUuidAt(fromMs)),
    ranges.map(({ toMs }) => firstUuidAt(toMs)),
    fromNewest ? skip : skipFromOldest,
    take,
  ];
  const { modes, channelId, userId, status } = filter;
  const found = isUnfiltered(filter, location)
    ? await snapshot.run(fromNewest ? listAllNewest : listAllOldest, values)
    : await snapshot.run(fromNewest ? listGroupsNewest : listGroupsOldest, [
        ...values,
        channelId,
        userId,
        status,
        firstDay,
        lastDay,
        modes,
      ]);
  return fromNewest ? found : found.reverse();
}

function listedOf(row: ListedRow): Listed {
  return {
    id: publicId('txn', row.id),
    livemode: row.livemode,
    amount: row.amount,
    amountRefunded: row.amount_refunded,
    currency: row.currency,
    status: row.status,
    channelId: row.channel_id,
    channelName: row.channel_name,
    description: row.description,
    userId: row.user_id,
    createdTime: row.created_at,
  };
}
