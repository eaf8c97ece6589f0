import type { Static } from 'typebox';
import { dayRangeOf } from '../../../core/days.ts';
import { firstUuidAt, publicId } from '../../../core/id.ts';
import { defaultPageSize, type Pagination, paginationOf } from '../../../core/page.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import { tenantsSeen } from '../../identity/tenants/visible-tenants.ts';
import { type ListedRow, listAllNewest, listAllOldest, listGroupsNewest, listGroupsOldest } from './list-statements.ts';
import { type Filter, type PageLocation, placeInDays, placeInSlices } from './page-location.ts';
import { rowsPerSlice } from './rollup.ts';
import type { listedTransaction, listQuery } from './schema.ts';

export type Listed = Static<typeof listedTransaction>;

/**
 * One page of payments, newest first, with the exact total: both of one moment. The totals say how many payments each
 * day holds under this filter, so that whole days are skipped without being read; on a busy day its slices are skipped
 * likewise, and within what is left the page is read from the nearer end.
 */
export async function listTransactions(
  database: Pick<Database, 'snapshot'>,
  query: Static<typeof listQuery>,
  principal: Principal,
  slicedEvery: number = rowsPerSlice,
): Promise<{ data: Listed[]; pagination: Pagination }> {
  const page = { page: query.page ?? 1, pageSize: query.pageSize ?? defaultPageSize };
  const days = dayRangeOf(query.startDate, query.endDate);
  return database.snapshot(async (moment) => {
    const filter: Filter = {
      tenantIds: await tenantsSeen(moment, principal),
      channelId: query.channelId ?? 0,
      userId: query.userId ?? 0,
      status: query.status ?? '*',
    };
    const inDays = await placeInDays(moment, filter, days, (page.page - 1) * page.pageSize, page.pageSize);
    const place = isFar(inDays, filter, slicedEvery) ? await placeInSlices(moment, filter, inDays) : inDays;
    const rows = place.rows === 0 ? [] : await readPlace(moment, filter, place);
    return { data: rows.map(listedOf), pagination: paginationOf(page, place.total) };
  });
}

/**
 * Whether so much lies before the page, from its nearer end, that looking for its slices costs less (a millisecond,
 * mostly for planning). Where rows of many groups or tenants are merged, each is read that far: slices pay sooner.
 */
function isFar({ rows, skip, take }: PageLocation, filter: Filter, slicedEvery: number): boolean {
  const merged = !isUnfiltered(filter) || filter.tenantIds.length > 1;
  return rows > slicedEvery && Math.min(skip, rows - skip - take) > (merged ? slicedEvery / 16 : slicedEvery);
}

const isUnfiltered = ({ channelId, userId, status }: Filter) => channelId === 0 && userId === 0 && status === '*';

async function readPlace(moment: Queryable, filter: Filter, place: PageLocation): Promise<ListedRow[]> {
  const { stretches, rows, skip, take, firstDay, lastDay } = place;
  const skipFromOldest = rows - skip - take;
  const fromNewest = skip <= skipFromOldest;
  const values = [
    stretches.map((stretch) => stretch.tenantId),
    stretches.map((stretch) => firstUuidAt(stretch.fromMs)),
    stretches.map((stretch) => firstUuidAt(stretch.toMs)),
    fromNewest ? skip : skipFromOldest,
    take,
  ];
  const { channelId, userId, status } = filter;
  const found = isUnfiltered(filter)
    ? await moment.run(fromNewest ? listAllNewest : listAllOldest, values)
    : await moment.run(fromNewest ? listGroupsNewest : listGroupsOldest, [
        ...values,
        channelId,
        userId,
        status,
        firstDay,
        lastDay,
      ]);
  return fromNewest ? found : found.reverse();
}

function listedOf(row: ListedRow): Listed {
  return {
    id: publicId('txn', row.id),
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
