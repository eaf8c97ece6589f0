import { statement } from '../../../platform/postgres/statement.ts';
import { about, type OperationRow, operationColumns } from './statements.ts';

/** Operations in one claim at most. */
export const maximumClaim = 200;

/** The channels with open operations, found by a loose index scan: some microseconds each. */
const channelWithWork = `channel_with_work as (
     (select channel_id from provider_operation where finished_at is null order by channel_id limit 1)
     union all
     select (select o.channel_id from provider_operation o
              where o.finished_at is null and o.channel_id > c.channel_id order by o.channel_id limit 1)
       from channel_with_work c
      where c.channel_id is not null
   )`;

/** Whether an operation `o` of channel `c` is due. `$1` is now in ms. */
const isDue = `o.finished_at is null and o.channel_id = c.channel_id
           and o.due_at <= to_timestamp($1::float8 / 1000)
           and (o.leased_until is null or o.leased_until <= to_timestamp($1::float8 / 1000))`;

/** For a lookout: whether any operation is due. */
export const operationDue = `with recursive ${channelWithWork}
   select from channel_with_work c cross join lateral (select from provider_operation o where ${isDue} limit 1) as first`;

/**
 * Takes due operations under a lease, from every channel that has some, as many of each as there is room for: a channel
 * whose provider hangs cannot hide the others. Values: now and the lease's end in ms since the epoch, how many at most,
 * the lease's token, how many of one channel, and for channels that have some in flight: which, and how many of them now.
 *
 * READY becomes CALLING here, before the call: when this process dies now, nobody can know whether the call was made, and it
 * is looked up.
 */
export const claimOperations = statement<OperationRow>(
  'processing.claim',
  `with recursive ${channelWithWork}, due as materialized (
     select picked.*
       from channel_with_work c
       left join unnest($6::bigint[], $7::int[]) as limited (channel_id, room) on limited.channel_id = c.channel_id
      cross join lateral (
        select tenant_id, transaction_id, number, state from provider_operation o
         where ${isDue}
         order by o.due_at
         limit least($3::int, coalesce(limited.room, $5::int))
           for update skip locked
      ) picked
      limit $3::int
   ), capped as (
     select * from due limit ${maximumClaim}
   ), claimed as (
     update provider_operation o
        set lease = $4, leased_until = to_timestamp($2::float8 / 1000),
            state = case o.state when 'READY' then 'CALLING' else o.state end,
            called_at = coalesce(o.called_at, to_timestamp($1::float8 / 1000))
       from capped
      where o.tenant_id = capped.tenant_id and o.transaction_id = capped.transaction_id and o.number = capped.number
     returning o.*, capped.state as state_before
   )
   select ${operationColumns}, o.state_before as state
     from claimed o
     join transaction t on t.tenant_id = o.tenant_id and t.id = o.transaction_id${about}`,
);

/**
 * Writes down that a provider did not say for good: the new state, when to look it up, the provider's id as far as it is
 * known. Only under the lease it was called with. One array a column: tenant, payment, number, lease, state, due (ms),
 * reference, calls and look-ups to add.
 */
export const deferOperations = statement(
  'processing.defer',
  `update provider_operation o
      set state = told.state, due_at = to_timestamp(told.due_ms / 1000), lease = null, leased_until = null,
          provider_reference = coalesce(told.reference, o.provider_reference),
          calls = least(o.calls + told.calls, 32767), look_ups = least(o.look_ups + told.look_ups, 32767)
     from unnest($1::bigint[], $2::uuid[], $3::smallint[], $4::uuid[], $5::text[], $6::float8[], $7::text[],
                 $8::smallint[], $9::smallint[])
       as told (tenant_id, transaction_id, number, lease, state, due_ms, reference, calls, look_ups)
    where o.tenant_id = told.tenant_id and o.transaction_id = told.transaction_id and o.number = told.number
      and o.lease = told.lease`,
);

/** Gives leases back, so that what was claimed and not begun is due again at once. One array a column, as above. */
export const releaseOperations = statement(
  'processing.release',
  `update provider_operation o
      set lease = null, leased_until = null, state = given.state
     from unnest($1::bigint[], $2::uuid[], $3::smallint[], $4::uuid[], $5::text[])
       as given (tenant_id, transaction_id, number, lease, state)
    where o.tenant_id = given.tenant_id and o.transaction_id = given.transaction_id and o.number = given.number
      and o.lease = given.lease`,
);

/**
 * Gives back whatever stands under these leases, after a claim whose answer never came: no provider was called under them.
 * What the claim itself turned from READY to CALLING, which its first call time tells, is READY again; the rest is looked
 * up first. Values: leases, how long a lease is, in ms.
 */
export const giveBackOperations = statement(
  'processing.give_back',
  `update provider_operation
      set state = case when state = 'CALLING'
                         and abs(extract(epoch from leased_until - called_at) * 1000 - $2::float8) <= 1
                       then 'READY' else state end,
          lease = null, leased_until = null
    where finished_at is null and lease = any ($1::uuid[])`,
);

/**
 * After the database's clock was set back: leases and look-ups that lie further ahead than they can end or are due when a
 * whole lease or wait has passed from now. A lease stays its holder's. Values: now, how long a lease is, the slack, in ms; the
 * waits before each look-up, in ms.
 */
export const bringForward = statement(
  'processing.bring_forward',
  `update provider_operation o
      set leased_until = case when o.lease is not null
                             then least(o.leased_until, to_timestamp(($1::float8 + $2::float8) / 1000)) end,
          due_at = least(o.due_at, to_timestamp(($1::float8 + wait.ms) / 1000))
     from provider_operation found
    cross join lateral (
      select case when found.state = 'READY' then 0
                  else ($4::float8[])[least(found.look_ups + 1, array_length($4::float8[], 1))] end as ms
    ) as wait
    where found.finished_at is null
      and (found.leased_until > to_timestamp(($1::float8 + $2::float8 + $3::float8) / 1000)
           or found.due_at > to_timestamp(($1::float8 + wait.ms + $3::float8) / 1000))
      and o.tenant_id = found.tenant_id and o.transaction_id = found.transaction_id and o.number = found.number
      and o.finished_at is null`,
);

export const freeLeases = statement(
  'processing.free_leases',
  'update provider_operation set lease = null, leased_until = null where finished_at is null and lease is not null',
);
