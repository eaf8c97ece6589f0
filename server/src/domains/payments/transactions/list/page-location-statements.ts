import { statement } from '../../../../platform/postgres/statement.ts';

export interface DaysRow {
  total: number;
  first_day: string | null;
  last_day: string | null;
  rows: number;
  skip: number;
  has_other_modes: boolean;
}

/**
 * The total of a filter ($1 to $6, and the modes $9), and the days that contain rows $7 to $7 + $8: how many rows these
 * days have, how many of them precede the page, and whether payments of the other modes ($10) were created on them.
 * Totals and deltas are added in one statement, so the sum is exact.
 */
export const locateDays = statement<DaysRow>(
  'transactions.locate_days',
  `with counted as (
     select day, sum(count) as count
       from (
         select day, count from transaction_total
          where tenant_id = any ($1::bigint[]) and livemode = any ($9::boolean[])
            and channel_id = $2 and user_id = $3 and status = $4 and day between $5::date and $6::date
         union all
         select (created_second at time zone 'UTC')::date, count from transaction_total_delta
          where tenant_id = any ($1::bigint[]) and livemode = any ($9::boolean[]) and ($2 = 0 or channel_id = $2)
              and ($3 = 0 or user_id = $3)
            and ($4 = '*' or status = $4)
            and (created_second at time zone 'UTC')::date between $5::date and $6::date
       ) as cell
      group by day
     having sum(count) > 0
   ),
   running as (
     select day, count, sum(count) over (order by day desc) - count as before, sum(count) over () as total from counted
   ),
   located as (
     select (select coalesce(sum(count), 0) from counted)::bigint as total, min(day) as first_day, max(day) as last_day,
            coalesce(sum(count), 0)::bigint as rows, ($7::bigint - coalesce(min(before), 0))::bigint as skip
       from running
      where before < $7::bigint + $8::bigint and before + count > $7::bigint
   )
   select located.*,
          exists (select from transaction_total
                   where tenant_id = any ($1::bigint[]) and livemode = any ($10::boolean[])
                     and channel_id = 0 and user_id = 0 and status = '*' and day between first_day and last_day)
          or exists (select from transaction_total_delta
                      where tenant_id = any ($1::bigint[]) and livemode = any ($10::boolean[])) as has_other_modes
     from located`,
);

export interface RangeRow {
  tenant_id: number;
  from_time: string;
  to_time: string;
  rows: number;
  skip: number;
}

/**
 * The range of buckets of each tenant, of modes $9 on days $5 to $6, that may contain rows $7 to $7 + $8. The first
 * bucket of a day has the day's total less that of its other buckets. A delta belongs to the latest bucket that starts
 * no later than its second. A bucket without rows is part of the one before it.
 *
 * Buckets of several tenants overlap, so a bucket has no fixed position in the merged list. Rows of buckets that start
 * at or after its end are certainly newer (`newer`); rows of buckets that end at or before its start are certainly
 * older (`not_older` counts all others). A bucket is skipped if the certainly newer rows fill the page and all before
 * it, or if all rows that are not certainly older precede the page. The remaining buckets of a tenant are one range.
 */
export const locateBuckets = statement<RangeRow>(
  'transactions.locate_buckets',
  `with bucket as (
     select tenant_id, started_at, sum(count) as count,
            lead(started_at, 1, ($6::date + 1)::timestamp at time zone 'UTC')
              over (partition by tenant_id order by started_at) as ended_at
       from (
         select tenant_id, day::timestamp at time zone 'UTC' as started_at, count
           from transaction_total
          where tenant_id = any ($1::bigint[]) and livemode = any ($9::boolean[])
            and channel_id = $2 and user_id = $3 and status = $4 and day between $5::date and $6::date
         union all
         select tenant_id, side.started_at, side.sign * count
           from transaction_bucket_total as later
          cross join lateral (
            values (later.started_at, 1), (date_trunc('day', later.started_at, 'UTC'), -1)
          ) as side (started_at, sign)
          where tenant_id = any ($1::bigint[]) and livemode = any ($9::boolean[])
            and channel_id = $2 and user_id = $3 and status = $4
            and later.started_at >= $5::date::timestamp at time zone 'UTC'
            and later.started_at < ($6::date + 1)::timestamp at time zone 'UTC'
         union all
         select tenant_id,
                greatest(date_trunc('day', created_second, 'UTC'),
                         (select max(started_at) from transaction_bucket
                           where tenant_id = change.tenant_id
                             and started_at between date_trunc('day', created_second, 'UTC') and created_second)),
                count
           from transaction_total_delta as change
          where tenant_id = any ($1::bigint[]) and livemode = any ($9::boolean[]) and ($2 = 0 or channel_id = $2)
              and ($3 = 0 or user_id = $3)
            and ($4 = '*' or status = $4)
            and (created_second at time zone 'UTC')::date between $5::date and $6::date
       ) as cell
      group by tenant_id, started_at
     having sum(count) > 0
   ),
   edge as (
     select *, started_at as at, count as started, 0 as ended from bucket
     union all
     select *, ended_at, 0, count from bucket
   ),
   placed as (
     select *, sum(started) over () - sum(ended) over (order by at) as not_older,
            sum(started) over (order by at desc) as newer
       from edge
   ),
   range as (
     select tenant_id, min(started_at) filter (where ended > 0 and newer < $7::bigint + $8::bigint) as from_time,
            max(ended_at) filter (where started > 0 and not_older > $7::bigint) as to_time,
            coalesce(sum(started) filter (where not_older <= $7::bigint), 0) as before,
            coalesce(sum(ended) filter (where newer >= $7::bigint + $8::bigint), 0) as after, sum(started) as rows
       from placed
      group by tenant_id
   ),
   summed as (
     select tenant_id, from_time, to_time,
            (sum(rows) over () - sum(before) over () - sum(after) over ())::bigint as rows,
            ($7::bigint - sum(before) over ())::bigint as skip
       from range
   )
   select * from summed where from_time < to_time`,
);
