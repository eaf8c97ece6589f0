import { maximumDeltas } from '../../../../platform/jobs/rollup-statements.ts';
import { statement } from '../../../../platform/postgres/statement.ts';

/** Serialises rollups until the transaction ends. Reads and writes of payments do not take this lock. */
export const lockRollup = statement(
  'transactions.lock_rollup',
  'lock table transaction_bucket in share row exclusive mode',
);

/**
 * Moves deltas from transaction_total_delta into transaction_total, each into the eight combinations of (channel or
 * all, user or all, status or all) of its mode, and for days with several buckets also into transaction_bucket_total.
 * It is one statement: a reader sees every payment either as a delta or in the totals, never twice or not at all.
 *
 * Buckets (transaction_bucket) divide busy days, so that a page in the middle of a day is found without reading the
 * day. A payment belongs to the latest bucket of its day that starts no later than its second. The first bucket of a
 * day starts with the day. $1 is how many payments a bucket holds before the next one starts, at the next second of
 * which nothing has been rolled up yet.
 *
 * The deltas of a second are added up first: 700 batches a second leave 700 deltas in a few groups, and every group is
 * added to eight combinations twice. That takes 2 to 3 ms instead of 4 to 7 (bench/notes/disk.md). `summed` has all
 * columns of transaction_total_delta in the order of the table, so that its rows can be cast to the table's type.
 *
 * Buckets stay exact, whichever node rolls up and whatever its clock:
 * - Rollups run one at a time. The lock is taken before the statement's snapshot, so each sees all buckets made before.
 * - A bucket starts only at a second later than every second rolled up into the last bucket of its day (newest_second).
 *   So a payment that has been rolled up stays in its bucket. One that has not is placed by the buckets of the snapshot
 *   in which it is read or rolled up.
 * - No clock is read. Late seconds, from a node whose clock is behind, fall into the existing bucket. A clock far ahead
 *   keeps its day from being divided until that time has come. Both make buckets larger, never wrong.
 */
export const rollUp = statement<{ rolled_up: number }>(
  'transactions.roll_up_totals',
  `with taken as (
     delete from transaction_total_delta
      where ctid = any (array(select ctid from transaction_total_delta limit ${maximumDeltas}))
     returning *
   ),
   summed as (
     select tenant_id, channel_id, user_id, created_second, sum(count)::bigint as count, status, currency,
            sum(amount) as amount, livemode
       from taken
      group by tenant_id, channel_id, user_id, created_second, status, currency, livemode
   ),
   per_second as (
     select tenant_id, created_second, date_trunc('day', created_second, 'UTC') as day, sum(count) as count,
            array_agg(row(summed.*)::transaction_total_delta) as changes
       from summed
      group by 1, 2
   ),
   counted as (
     select per_second.*, created_second > coalesce(last.newest_second, '-infinity') as is_new_second,
            coalesce(last.count, 0) + sum(per_second.count) over earlier - per_second.count as before
       from per_second
       left join lateral (
         select newest_second, count from transaction_bucket
          where tenant_id = per_second.tenant_id and started_at >= day and started_at < day + interval '1 day'
          order by started_at desc limit 1
       ) as last on true
     window earlier as (partition by per_second.tenant_id, day order by created_second)
   ),
   numbered as (
     select *, case when is_new_second then div(before, $1) else 0 end as buckets from counted
   ),
   divided as (
     select *, case when buckets > lag(buckets, 1, 0) over earlier then created_second end as starts_at
       from numbered
     window earlier as (partition by tenant_id, day order by created_second)
   ),
   placed as (
     select tenant_id, created_second, day, count, changes,
            greatest(day, max(starts_at) over (partition by tenant_id, day order by created_second),
                     (select max(started_at) from transaction_bucket
                       where tenant_id = divided.tenant_id and started_at between day and created_second)) as started_at
       from divided
   ),
   bucketed as (
     insert into transaction_bucket as bucket (tenant_id, started_at, newest_second, count)
     select tenant_id, started_at, max(created_second), sum(count) from placed group by 1, 2
     on conflict (tenant_id, started_at)
     do update set count = bucket.count + excluded.count,
                   newest_second = greatest(bucket.newest_second, excluded.newest_second)
   ),
   rolled_up_buckets as (
     insert into transaction_bucket_total as total (tenant_id, livemode, channel_id, user_id, status, started_at, count)
     select placed.tenant_id, livemode, coalesce(channel_id, 0), coalesce(user_id, 0), coalesce(status, '*'),
         started_at,
            sum(change.count)
       from placed cross join lateral unnest(changes) as change
      where started_at > day
      group by placed.tenant_id, livemode, started_at, cube (channel_id, user_id, status)
     having sum(change.count) <> 0
     on conflict (tenant_id, livemode, channel_id, user_id, status, started_at)
     do update set count = total.count + excluded.count
   ),
   rolled_up as (
     insert into transaction_total as total (tenant_id, livemode, channel_id, user_id, status, day, currency, count,
         amount)
     select placed.tenant_id, livemode, coalesce(channel_id, 0), coalesce(user_id, 0), coalesce(status, '*'),
            (day at time zone 'UTC')::date, currency, sum(change.count), sum(amount)
       from placed cross join lateral unnest(changes) as change
      group by placed.tenant_id, livemode, day, currency, cube (channel_id, user_id, status)
     having sum(change.count) <> 0 or sum(amount) <> 0
     on conflict (tenant_id, livemode, channel_id, user_id, status, day, currency)
     do update set count = total.count + excluded.count, amount = total.amount + excluded.amount
   )
   select count(*) as rolled_up from taken`,
);
