import { statement } from '../../../../platform/postgres/statement.ts';
import { type ListedRow, listedPayment } from '../record.ts';

type Direction = 'asc' | 'desc';

/**
 * The rows of a page by its number, located by the totals: first their ids, by index alone, then the rows. Values: $1
 * to $3 the tenants and their id ranges, $4 how many rows to skip, $5 the page size, $6 whether to read JSON.
 */
const listed = (pageOfIds: string, direction: Direction) => `
  with range as (
    select * from unnest($1::bigint[], $2::uuid[], $3::uuid[]) as row (tenant_id, from_id, to_id)
  ),
  page as materialized (${pageOfIds})
  select ${listedPayment.select('$6::boolean')}
    from page
    join transaction t using (tenant_id, id)
   order by t.id ${direction}`;

/** Without a filter, if no payment has another mode: by the primary key, for each tenant. */
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
 * The groups (channel, user, status) that have rows on some days, as a relation (tenant_id, channel_id, user_id,
 * status). Parameters: SQL of the tenants, of the modes (null: both), and of the filters, 0 and '*' for all of them. A
 * channel has one mode, so the groups tell the modes apart as well.
 */
export const usedGroups = (
  tenantIds: string,
  modes: string,
  channelId: string,
  userId: string,
  status: string,
  firstDay: string,
  lastDay: string,
) => `
         select tenant_id, channel_id, user_id, status from transaction_total
          where tenant_id = any (${tenantIds}) and (${modes} is null or livemode = any (${modes}))
              and day between ${firstDay} and ${lastDay}
            and channel_id <> 0 and user_id <> 0 and status <> '*'
            and (${channelId} = 0 or channel_id = ${channelId}) and (${userId} = 0 or user_id = ${userId})
            and (${status} = '*' or status = ${status})
         union
         select tenant_id, channel_id, user_id, status from transaction_total_delta
          where tenant_id = any (${tenantIds}) and (${modes} is null or livemode = any (${modes}))
            and (created_second at time zone 'UTC')::date between ${firstDay} and ${lastDay}
            and (${channelId} = 0 or channel_id = ${channelId}) and (${userId} = 0 or user_id = ${userId})
            and (${status} = '*' or status = ${status})`;

const usedInRange = usedGroups(
  ...(['$1::bigint[]', '$12::boolean[]', '$7::bigint', '$8::bigint', '$9::text', '$10::date', '$11::date'] as const),
);

/**
 * With a filter ($7 channel, $8 user, $9 status, $12 modes): the groups in use on days $10 to $11, each read in order
 * from one index. Groups are few; at most groups × (skip + page) rows are read, and only within the ranges.
 */
const groups = (direction: Direction) =>
  listed(
    `select near.tenant_id, near.id
       from range
       join ( ${usedInRange}
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
