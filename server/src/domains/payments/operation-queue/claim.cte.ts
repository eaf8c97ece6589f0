import { leasedTable } from '../../../platform/jobs/lease-statements.ts';
import { pacedChannelsCte, takePermitsCte } from './pace.cte.ts';
import { lookUpWaitsMs, maximumLimitWaitMs } from './rules.ts';

/** Operations in one claim. */
export const maximumClaim = 200;

/** The channels that have open operations, found by a loose index scan: some microseconds for each channel. */
const channelWithWork = `channel_with_work as (
     (select channel_id from provider_operation where finished_at is null order by channel_id limit 1)
     union all
     select (select o.channel_id from provider_operation o
              where o.finished_at is null and o.channel_id > c.channel_id order by o.channel_id limit 1)
       from channel_with_work c
      where c.channel_id is not null
   )`;

/**
 * A claim whose answer was lost is taken back, because no provider was called under it. An operation that the claim
 * changed from READY to CALLING (its `called_at` is the time of the claim) becomes READY again; every other one is
 * looked up first.
 */
export const operationTable = leasedTable({
  table: 'provider_operation',
  name: 'operations',
  open: 'finished_at is null',
  waitMs: `case when state = 'READY' then case when limited_at is null then 0 else ${maximumLimitWaitMs} end
               else (array[${lookUpWaitsMs.join(', ')}]::float8[])[least(look_ups + 1, ${lookUpWaitsMs.length})] end`,
  onRelease: `state = case when state = 'CALLING'
                           and abs(extract(epoch from leased_until - called_at) * 1000 - $2::float8) <= 1
                         then 'READY' else state end`,
});

/**
 * Each channel has two queues: operations that a payer may wait for, and those in the background. The index orders each
 * of them by due time.
 */
const queues = '(values (false), (true)) as queue (background)';

/** Whether an operation of a queue of channel `c` is due and not leased. `$1` is now in ms. */
const isDue = `${operationTable.isDue} and o.channel_id = c.channel_id and o.background = queue.background`;

/** For the due-work poller: whether any operation is due. Value: now in ms. */
export const operationDue = `with recursive ${channelWithWork}
   select from channel_with_work c cross join ${queues}
    cross join lateral (select from provider_operation o where ${isDue} limit 1) as first`;

/**
 * Recursive CTEs that lease due operations of every channel, up to the limit of each channel, so that a channel whose
 * provider hangs cannot starve the others; of a channel, those in the background last. `claimed` are the operations,
 * with `state_before` and `is_paced`. Values: now and the end of the lease in ms, the maximum of operations, the token
 * of the lease, the maximum for one channel; then two arrays, the channels with a limit of their own and these limits;
 * the most operations a second through a channel, for all nodes together, or null.
 *
 * READY becomes CALLING here, before the call: if the process dies, it is unknown whether the call was made, so the
 * next claim looks the operation up.
 */
export const claimOperationsCte = `${channelWithWork}, ${pacedChannelsCte}, due as materialized (
     select picked.*, c.channel_id, paced.channel_id is not null as is_paced
       from channel_with_work c
       left join unnest($6::bigint[], $7::int[]) as limited (channel_id, maximum) on limited.channel_id = c.channel_id
       left join paced on paced.channel_id = c.channel_id
      cross join lateral (
        select first.* from ${queues} cross join lateral (
          select tenant_id, transaction_id, number, state from provider_operation o
           where ${isDue}
           order by o.due_at
           limit least($3::int, coalesce(limited.maximum, $5::int), paced.allowed)
             for update skip locked
        ) as first
         limit least($3::int, coalesce(limited.maximum, $5::int), paced.allowed)
      ) picked
      limit $3::int
   ), capped as (
     select * from due limit ${maximumClaim}
   ), ${takePermitsCte}, claimed as (
     update provider_operation o
        set lease = $4, leased_until = to_timestamp($2::float8 / 1000),
            state = case o.state when 'READY' then 'CALLING' else o.state end,
            called_at = coalesce(o.called_at, to_timestamp($1::float8 / 1000))
       from capped
      where o.tenant_id = capped.tenant_id and o.transaction_id = capped.transaction_id and o.number = capped.number
     returning o.*, capped.state as state_before, capped.is_paced
   )`;
