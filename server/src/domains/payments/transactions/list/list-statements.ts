import { statement } from '../../../../platform/postgres/statement.ts';
import type { TransactionRow } from '../statements.ts';

export type ListedRow = Pick<
  TransactionRow,
  | 'id'
  | 'livemode'
  | 'amount'
  | 'amount_refunded'
  | 'currency'
  | 'status'
  | 'channel_id'
  | 'description'
  | 'user_id'
  | 'created_at'
> & { channel_name: string };

type Direction = 'asc' | 'desc';

/**
 * The rows of a page: first their ids, by index alone, then the rows. Values: $1 to $3 the tenants and their id ranges, $4
 * how many rows to skip, $5 the page size. The channel's name is a subquery, because a join takes PostgreSQL longer to
 * plan: a tenth to a fifth of the whole statement.
 */
const listed = (pageOfIds: string, direction: Direction) => `
  with range as (
    select * from unnest($1::bigint[], $2::uuid[], $3::uuid[]) as row (tenant_id, from_id, to_id)
  ),
  page as materialized (${pageOfIds})
  select t.id, t.livemode, t.amount, t.amount_refunded, t.currency, t.status, t.channel_id, t.description, t.user_id, t.created_at,
         (select name from channel where channel.id = t.channel_id) as channel_name
    from page
    join transaction t using (tenant_id, id)
   order by t.id ${direction}`;

/** Without a filter, where no payment is of another mode: by the primary key, for each tenant. */
const all = (direction: Direction) =>
  listed(
    `select near.tenant_id, near.id
       from range
      cross join lateral (
        select tenant_id, id from transaction
         where tenant_id = range.tenant_id and id >= from_id and id < to_id
         order by id ${direction} limit $4::bigint + $5::bigint
      ) as near
      order by near.id ${direction} offset $4::bigint limit $5::bigint`,
    direction,
  );

/**
 * With a filter ($6 channel, $7 user, $8 status, $11 modes): the groups (channel, user, status) that have rows on days $9 to
 * $10, each read in order from one index. A channel has one mode, so the groups tell the modes apart as well. Groups are few, those in use on these days; at most groups × (skip + page) rows are read,
 * and only within the ranges.
 */
const groups = (direction: Direction) =>
  listed(
    `select near.tenant_id, near.id
       from range
       join (
         select tenant_id, channel_id, user_id, status from transaction_total
          where tenant_id = any ($1::bigint[]) and livemode = any ($11::boolean[]) and day between $9::date and $10::date
            and channel_id <> 0 and user_id <> 0 and status <> '*'
            and ($6::bigint = 0 or channel_id = $6) and ($7::bigint = 0 or user_id = $7) and ($8::text = '*' or status = $8)
         union
         select tenant_id, channel_id, user_id, status from transaction_total_delta
          where tenant_id = any ($1::bigint[]) and livemode = any ($11::boolean[])
            and (created_second at time zone 'UTC')::date between $9::date and $10::date
            and ($6::bigint = 0 or channel_id = $6) and ($7::bigint = 0 or user_id = $7) and ($8::text = '*' or status = $8)
       ) as used using (tenant_id)
      cross join lateral (
        select tenant_id, id from transaction
         where tenant_id = used.tenant_id and channel_id = used.channel_id and user_id = used.user_id
           and status = used.status and id >= from_id and id < to_id
         order by id ${direction} limit $4::bigint + $5::bigint
      ) as near
      order by near.id ${direction} offset $4::bigint limit $5::bigint`,
    direction,
  );

export const listAllNewest = statement<ListedRow>('transactions.list_all_newest', all('desc'));
export const listAllOldest = statement<ListedRow>('transactions.list_all_oldest', all('asc'));
export const listGroupsNewest = statement<ListedRow>('transactions.list_groups_newest', groups('desc'));
export const listGroupsOldest = statement<ListedRow>('transactions.list_groups_oldest', groups('asc'));
