import type { Queryable } from '../../platform/postgres/database.ts';
import { statement } from '../../platform/postgres/statement.ts';
import type { DayRange } from './rules.ts';
import type { TransactionRow } from './sql.ts';

/** What the list is narrowed to. 0 and '*' mean all, as in transaction_total. */
export interface Filter {
  tenantIds: number[];
  channelId: number;
  userId: number;
  status: string;
}

export const tenantIds = statement<{ id: number }>('transactions.tenant_ids', 'select id from tenant');

interface PlaceRow {
  total: number;
  first_day: string | null;
  last_day: string | null;
  rows: number;
  skip: number;
}

/**
 * The total under a filter, and the days that hold rows $7 to $7 + $8 of it: how many rows they hold in all, and how
 * many of them come before the page. Folded and unfolded totals are added in one statement, so the sum is exact.
 */
const locate = statement<PlaceRow>(
  'transactions.locate_page',
  `with counted as (
     select day, sum(count) as count
       from (
         select day, count from transaction_total
          where tenant_id = any ($1::bigint[]) and channel_id = $2 and user_id = $3 and status = $4
            and day between $5::date and $6::date
         union all
         select day, count from transaction_total_delta
          where tenant_id = any ($1::bigint[]) and ($2 = 0 or channel_id = $2) and ($3 = 0 or user_id = $3)
            and ($4 = '*' or status = $4) and day between $5::date and $6::date
       ) as cell
      group by day
     having sum(count) > 0
   ),
   running as (
     select day, count, sum(count) over (order by day desc) - count as before, sum(count) over () as total from counted
   )
   select (select coalesce(sum(count), 0) from counted)::bigint as total, min(day) as first_day, max(day) as last_day,
          coalesce(sum(count), 0)::bigint as rows, ($7::bigint - coalesce(min(before), 0))::bigint as skip
     from running
    where before < $7::bigint + $8::bigint and before + count > $7::bigint`,
);

export interface PagePlace {
  total: number;
  firstDay: string;
  lastDay: string;
  rows: number;
  skip: number;
}

export async function locatePage(
  database: Queryable,
  { tenantIds: tenants, channelId, userId, status }: Filter,
  { startDate, endDate }: DayRange,
  offset: number,
  pageSize: number,
): Promise<PagePlace> {
  const [row] = await database.run(locate, [tenants, channelId, userId, status, startDate, endDate, offset, pageSize]);
  const { total, first_day, last_day, rows, skip } = row as PlaceRow;
  return { total, firstDay: first_day ?? startDate, lastDay: last_day ?? endDate, rows, skip };
}

export type ListedRow = Pick<
  TransactionRow,
  'id' | 'amount' | 'amount_refunded' | 'currency' | 'status' | 'channel_id' | 'description' | 'user_id' | 'created_at'
> & { channel_name: string };

type Direction = 'asc' | 'desc';

/** The rows of a page, once it is known which: ids first (index only), then the rows themselves. */
const listed = (pageOfIds: string, direction: Direction) => `
  with page as materialized (${pageOfIds})
  select t.id, t.amount, t.amount_refunded, t.currency, t.status, t.channel_id, t.description, t.user_id, t.created_at,
         channel.name as channel_name
    from page
    join transaction t using (tenant_id, id)
    join channel on channel.id = t.channel_id
   order by t.id ${direction}`;

/** No filter: the primary key of each tenant asked for. */
const all = (direction: Direction) =>
  listed(
    `select tenant_id, id
       from unnest($1::bigint[]) as seen (tenant)
      cross join lateral (
        select tenant_id, id from transaction
         where tenant_id = seen.tenant and id >= $2::uuid and id < $3::uuid
         order by id ${direction} limit $4::bigint + $5::bigint
      ) as newest
      order by id ${direction} offset $4::bigint limit $5::bigint`,
    direction,
  );

/**
 * Any filter: the (channel, user, status) groups that hold rows in those days, each read in order from the one index.
 * Groups are few (those in use on these days), rows read at most groups × (skip + page).
 */
const groups = (direction: Direction) =>
  listed(
    `select id_of_group.tenant_id, id_of_group.id
       from (
         select tenant_id, channel_id, user_id, status from transaction_total
          where tenant_id = any ($1::bigint[]) and day between $9::date and $10::date
            and channel_id <> 0 and user_id <> 0 and status <> '*'
            and ($6::bigint = 0 or channel_id = $6) and ($7::bigint = 0 or user_id = $7) and ($8::text = '*' or status = $8)
         union
         select tenant_id, channel_id, user_id, status from transaction_total_delta
          where tenant_id = any ($1::bigint[]) and day between $9::date and $10::date
            and ($6::bigint = 0 or channel_id = $6) and ($7::bigint = 0 or user_id = $7) and ($8::text = '*' or status = $8)
       ) as held
      cross join lateral (
        select tenant_id, id from transaction
         where tenant_id = held.tenant_id and channel_id = held.channel_id and user_id = held.user_id
           and status = held.status and id >= $2::uuid and id < $3::uuid
         order by id ${direction} limit $4::bigint + $5::bigint
      ) as id_of_group
      order by id_of_group.id ${direction} offset $4::bigint limit $5::bigint`,
    direction,
  );

export const listAllNewest = statement<ListedRow>('transactions.list_all_newest', all('desc'));
export const listAllOldest = statement<ListedRow>('transactions.list_all_oldest', all('asc'));
export const listGroupsNewest = statement<ListedRow>('transactions.list_groups_newest', groups('desc'));
export const listGroupsOldest = statement<ListedRow>('transactions.list_groups_oldest', groups('asc'));
