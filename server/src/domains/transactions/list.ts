import type { Static } from 'typebox';
import type { Database } from '../../platform/postgres/database.ts';
import { dayMs } from '../../vocabulary/clock.ts';
import { firstUuidAt, publicId } from '../../vocabulary/id.ts';
import { defaultPageSize, type Pagination, paginationOf } from '../../vocabulary/page.ts';
import { type Principal, seesAllTenants } from '../../vocabulary/principal.ts';
import {
  type Filter,
  type ListedRow,
  listAllNewest,
  listAllOldest,
  listGroupsNewest,
  listGroupsOldest,
  locatePage,
  tenantIds,
} from './list-sql.ts';
import { dayRangeOf } from './rules.ts';
import type { listedTransaction, listQuery } from './schema.ts';

export type Listed = Static<typeof listedTransaction>;

/**
 * One page of payments, newest first, with the exact total. The totals say how many payments each day holds under this
 * filter, so that whole days are skipped without being read, and within the day the page is read from its nearer end.
 */
export async function listTransactions(
  database: Database,
  query: Static<typeof listQuery>,
  principal: Principal,
): Promise<{ data: Listed[]; pagination: Pagination }> {
  const page = { page: query.page ?? 1, pageSize: query.pageSize ?? defaultPageSize };
  const days = dayRangeOf(query.startDate, query.endDate);
  const filter: Filter = {
    tenantIds: await tenantsSeen(database, principal),
    channelId: query.channelId ?? 0,
    userId: query.userId ?? 0,
    status: query.status ?? '*',
  };
  const place = await locatePage(database, filter, days, (page.page - 1) * page.pageSize, page.pageSize);
  const rows = place.rows === 0 ? [] : await readPlace(database, filter, place, page.pageSize);
  return { data: rows.map(listedOf), pagination: paginationOf(page, place.total) };
}

async function tenantsSeen(database: Database, principal: Principal): Promise<number[]> {
  if (!seesAllTenants(principal)) return [principal.tenantId];
  return (await database.run(tenantIds)).map((row) => row.id);
}

interface Place {
  firstDay: string;
  lastDay: string;
  rows: number;
  skip: number;
}

async function readPlace(database: Database, filter: Filter, place: Place, pageSize: number): Promise<ListedRow[]> {
  const { skip, rows } = place;
  const fromId = firstUuidAt(Date.parse(place.firstDay));
  const toId = firstUuidAt(Date.parse(place.lastDay) + dayMs);
  const unfiltered = filter.channelId === 0 && filter.userId === 0 && filter.status === '*';
  const take = Math.min(pageSize, rows - skip);
  const skipFromOldest = rows - skip - take;
  const fromNewest = skip <= skipFromOldest;
  const values = [filter.tenantIds, fromId, toId, fromNewest ? skip : skipFromOldest, take];
  const found = unfiltered
    ? await database.run(fromNewest ? listAllNewest : listAllOldest, values)
    : await database.run(fromNewest ? listGroupsNewest : listGroupsOldest, [
        ...values,
        filter.channelId,
        filter.userId,
        filter.status,
        place.firstDay,
        place.lastDay,
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
