import type { Database } from '../../../platform/postgres/database.ts';
import { statement } from '../../../platform/postgres/statement.ts';

/**
 * Payments after which a day's newest slice gets a successor. Reading past 4,096 entries of an index takes a quarter of
 * a millisecond; a slice costs a row of transaction_slice_total for each cell in use, some tens.
 */
export const rowsPerSlice = 4_096;

/** Change rows taken in one go: enough for a second at full speed, short enough to hold no one up. */
const foldAtMost = 20_000;

/** Held to the end of the transaction. Readers and writers of payments do not touch this lock, only other folders. */
const foldAlone = statement('transactions.fold_alone', 'lock table transaction_slice in share row exclusive mode');

/**
 * Moves what has gathered in transaction_total_delta into transaction_total, each change into all eight of its
 * combinations; and, on days that are cut into slices, into transaction_slice_total likewise. One statement: a reader
 * sees every payment either there or here, never twice or not at all.
 *
 * The slice of a payment is the latest of its day that starts no later than the payment's second. $1 is how many
 * payments a slice holds before the next one begins, at the next second that nothing has been folded from.
 *
 * Why the slices stay exact, whoever folds and whatever the clocks say:
 * - One folder at a time: it locks before this statement takes its snapshot, so it sees every slice begun so far.
 * - A slice begins only at a second later than all that were ever folded into its day's last slice (newest_second).
 *   What has been folded is therefore in the same slice after as before; what has not is given its slice by readers and by
 *   its own fold, each by the slices of their own snapshot.
 * - No clock is asked. Seconds that come late, from a node whose clock is behind, fall into the slice that is there;
 *   a clock far ahead keeps its day from being cut until that time has come. Both make slices larger, never wrong.
 */
const fold = statement<{ folded: number }>(
  'transactions.fold_totals',
  `with taken as (
     delete from transaction_total_delta as change
      where ctid = any (array(select ctid from transaction_total_delta limit ${foldAtMost}))
     returning change
   ),
   per_second as (
     select (change).tenant_id, (change).created_second, date_trunc('day', (change).created_second, 'UTC') as day,
            sum((change).count) as count, array_agg(change) as changes
       from taken
      group by 1, 2
   ),
   counted as (
     select per_second.*, created_second > coalesce(last.newest_second, '-infinity') as unfolded,
            coalesce(last.count, 0) + sum(per_second.count) over earlier - per_second.count as before
       from per_second
       left join lateral (
         select newest_second, count from transaction_slice
          where tenant_id = per_second.tenant_id and started_at >= day and started_at < day + interval '1 day'
          order by started_at desc limit 1
       ) as last on true
     window earlier as (partition by per_second.tenant_id, day order by created_second)
   ),
   filled as (
     select *, case when unfolded then div(before, $1) else 0 end as slices from counted
   ),
   cut as (
     select *, case when slices > lag(slices, 1, 0) over earlier then created_second end as starts_at
       from filled
     window earlier as (partition by tenant_id, day order by created_second)
   ),
   sliced as (
     select tenant_id, created_second, day, count, changes,
            greatest(day, max(starts_at) over (partition by tenant_id, day order by created_second),
                     (select max(started_at) from transaction_slice
                       where tenant_id = cut.tenant_id and started_at between day and created_second)) as started_at
       from cut
   ),
   grown as (
     insert into transaction_slice as slice (tenant_id, started_at, newest_second, count)
     select tenant_id, started_at, max(created_second), sum(count) from sliced group by 1, 2
     on conflict (tenant_id, started_at)
     do update set count = slice.count + excluded.count,
                   newest_second = greatest(slice.newest_second, excluded.newest_second)
   ),
   folded_slices as (
     insert into transaction_slice_total as total (tenant_id, channel_id, user_id, status, started_at, count)
     select sliced.tenant_id, coalesce(channel_id, 0), coalesce(user_id, 0), coalesce(status, '*'), started_at,
            sum(change.count)
       from sliced cross join lateral unnest(changes) as change
      where started_at > day
      group by sliced.tenant_id, started_at, cube (channel_id, user_id, status)
     having sum(change.count) <> 0
     on conflict (tenant_id, channel_id, user_id, status, started_at)
     do update set count = total.count + excluded.count
   ),
   folded as (
     insert into transaction_total as total (tenant_id, channel_id, user_id, status, day, currency, count, amount)
     select sliced.tenant_id, coalesce(channel_id, 0), coalesce(user_id, 0), coalesce(status, '*'),
            (day at time zone 'UTC')::date, currency, sum(change.count), sum(amount)
       from sliced cross join lateral unnest(changes) as change
      group by sliced.tenant_id, day, currency, cube (channel_id, user_id, status)
     having sum(change.count) <> 0 or sum(amount) <> 0
     on conflict (tenant_id, channel_id, user_id, status, day, currency)
     do update set count = total.count + excluded.count, amount = total.amount + excluded.amount
   )
   select coalesce(sum(cardinality(changes)), 0)::bigint as folded from per_second`,
);

/** Folds until nothing is left. */
export async function rollUpTransactionTotals(database: Database, slicedEvery: number = rowsPerSlice): Promise<void> {
  for (;;) {
    const folded = await database.transaction(async (transaction) => {
      await transaction.run(foldAlone);
      const [row] = await transaction.run(fold, [slicedEvery]);
      return row?.folded ?? 0;
    });
    if (folded < foldAtMost) return;
  }
}
