import { statement } from '../../platform/postgres/statement.ts';
import { opening } from '../connectors/opening.ts';
import type { ProviderName } from '../connectors/providers.ts';
import { refunding } from '../refunds/settling.ts';
import { moveInput, moving } from '../transactions/moving.ts';
import { columns as paymentColumns, type TransactionRow } from '../transactions/sql.ts';
import { tallying } from './tallying.ts';

export type OperationKind = 'CHARGE' | 'REFUND' | 'CANCEL';
export type OperationState = 'READY' | 'CALLING' | 'UNKNOWN' | 'WAITING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
export type SettledBy = 'answer' | 'look_up' | 'callback' | 'nothing';

/**
 * Where a statement finds operations by their key, it says open by these words, not by `finished_at is null`: the planner
 * would take that for an offer to read the index of all that are open.
 */
const openStates = `'READY', 'CALLING', 'UNKNOWN', 'WAITING'`;

/** An operation with its payment as it was when both were read. */
export interface OperationRow extends TransactionRow {
  number: number;
  kind: OperationKind;
  refund_id: string | null;
  refund_reason: string | null;
  /** The channel it is called through: the payment's own, or one to fall back on. */
  operation_channel_id: number;
  operation_provider: ProviderName;
  operation_amount: number;
  state: OperationState;
  calls: number;
  look_ups: number;
  operation_reference: string | null;
  operation_created_ms: number;
  /** The charge that a refund or a cancellation is about. */
  charge_number: number | null;
  charge_reference: string | null;
  charge_state: OperationState | null;
}

/** What is asked of a provider, with all it takes to ask. `o` is the operation, `t` its payment. */
const operationColumns = `${paymentColumns}, o.number, o.kind, o.refund_id, r.reason as refund_reason,
  o.channel_id as operation_channel_id, o.provider as operation_provider, o.amount as operation_amount, o.calls,
  o.look_ups, o.provider_reference as operation_reference,
  (extract(epoch from o.created_at) * 1000)::float8 as operation_created_ms,
  charge.number as charge_number, charge.provider_reference as charge_reference, charge.state as charge_state`;

/** The refund and the charge that an operation `o` is about; a charge has neither. */
const about = `
  left join refund r on o.refund_id is not null and r.tenant_id = o.tenant_id and r.id = o.refund_id
  left join lateral (
    select number, provider_reference, state from provider_operation charge
     where o.kind <> 'CHARGE' and charge.tenant_id = o.tenant_id and charge.transaction_id = o.transaction_id
       and charge.kind = 'CHARGE' and not charge.void
     limit 1
  ) charge on true`;

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
 * READY becomes CALLING here, before the call: when this process dies now, nobody can know whether the call was made, and it is looked up.
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

/** Operations that stand under a provider's own id, of one channel. */
export const findByReference = statement<OperationRow>(
  'processing.find_by_reference',
  `select ${operationColumns}, o.state
     from provider_operation o
     join transaction t on t.tenant_id = o.tenant_id and t.id = o.transaction_id${about}
    where o.channel_id = $1 and o.provider_reference = $2
    order by o.number`,
);

/** The operation under a key of ours, of one channel; its tenant need not be known. */
export const findByKey = statement<OperationRow>(
  'processing.find_by_key',
  `select ${operationColumns}, o.state
     from tenant
     join provider_operation o on o.tenant_id = tenant.id and o.transaction_id = $2 and o.number = $3
     join transaction t on t.tenant_id = o.tenant_id and t.id = o.transaction_id${about}
    where o.channel_id = $1`,
);

/** Every operation of a payment, in order. */
export const findOfPayment = statement<OperationRow>(
  'processing.find_of_payment',
  `select ${operationColumns}, o.state
     from provider_operation o
     join transaction t on t.tenant_id = o.tenant_id and t.id = o.transaction_id${about}
    where o.tenant_id = $1 and o.transaction_id = $2
    order by o.number`,
);

/** What settling an operation takes besides the move of its payment, one array a column (`valuesOfSettlements`). */
const told = [
  ['number', 'smallint'],
  // Null: whoever holds it.
  ['lease', 'uuid'],
  ['state', 'text'],
  ['reference', 'text'],
  ['told_code', 'text'],
  ['provider_code', 'text'],
  ['told_message', 'text'],
  ['settled_by', 'text'],
  // What it took to learn this, besides what is counted already.
  ['calls', 'smallint'],
  ['look_ups', 'smallint'],
  // Null: it is no refund.
  ['refund_status', 'text'],
  // Null: no other channel is tried.
  ['next_channel_id', 'bigint'],
  ['next_provider', 'text'],
] as const;

/**
 * Settles operations: what a provider said for good, with everything that follows from it, in one statement.
 *
 * The operation is locked first and must be open; then the payment moves, guarded by its version; only what has moved goes
 * on. What is not given back was left as it stands, to be read again and settled anew. The next charge comes out of
 * `finished`, after the last one is void: two that are not void cannot stand side by side.
 *
 * The lock stands in a lateral subquery, which is always looked up by the whole key, in the order of the input (that of
 * the payments' ids, or two settlers would wait for each other). A join could be planned as a scan of all operations, and
 * was: 63 settlements took 90 ms instead of 4.
 */
export const settleOperations = statement<{ id: string; deliveries: number }>(
  'processing.settle',
  `with asked as (
     ${moveInput(told)}
   ), move as materialized (
     select asked.*
       from asked
      cross join lateral (
        select 1 from provider_operation o
         where o.tenant_id = asked.tenant_id and o.transaction_id = asked.id and o.number = asked.number
           and o.state in (${openStates}) and (asked.lease is null or o.lease = asked.lease)
           for update
      ) as held
   ),
   ${moving(told)},
   finished as (
     update provider_operation o
        set state = moved.state, void = moved.state in ('FAILED', 'CANCELLED'), lease = null, leased_until = null,
            provider_reference = coalesce(moved.reference, o.provider_reference), failure_code = moved.told_code,
            provider_code = moved.provider_code, failure_message = moved.told_message, settled_by = moved.settled_by,
            calls = least(o.calls + moved.calls, 32767), look_ups = least(o.look_ups + moved.look_ups, 32767),
            finished_at = moved.at
       from moved
      where o.tenant_id = moved.tenant_id and o.transaction_id = moved.id and o.number = moved.number
     returning o.tenant_id, o.transaction_id, o.kind, o.channel_id, o.state, o.finished_at, moved.currency, moved.amount,
               moved.next_channel_id, moved.next_provider
   ),
   called_off as (
     update provider_operation o
        set state = 'CANCELLED', void = true, lease = null, leased_until = null, settled_by = 'nothing',
            finished_at = moved.at
       from moved
      where moved.to_status = 'CANCELLED' and moved.from_status <> 'CANCELLED'
        and o.tenant_id = moved.tenant_id and o.transaction_id = moved.id and o.number <> moved.number
        and o.state in (${openStates})
     returning o.tenant_id, o.kind, o.channel_id, o.state, o.finished_at, moved.currency
   ),
   ${tallying},
   refund_news as (
     select tenant_id, refund_id as id, refund_status as status, reference, told_code as failure_code,
            told_message as failure_message, at
       from moved
      where refund_status is not null
   ),
   ${refunding},
   operation as (
     select tenant_id, transaction_id,
            (select max(number) + 1 from provider_operation o
              where o.tenant_id = finished.tenant_id and o.transaction_id = finished.transaction_id) as number,
            'CHARGE' as kind, null::uuid as refund_id, next_channel_id as channel_id, next_provider as provider, amount,
            finished_at as at
       from finished
      where next_channel_id is not null
   ),
   ${opening}
   select id, (select count(*) from enqueued) as deliveries from moved`,
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

export const freeLeases = statement(
  'processing.free_leases',
  'update provider_operation set lease = null, leased_until = null where finished_at is null and lease is not null',
);

/**
 * Makes the open operations of a payment due now, so that they are looked up: its provider says that something changed. One
 * that is held is being asked for already, perhaps from before the change: what is written of it puts it off again.
 */
export const hurryOperations = statement<{ number: number; is_held: boolean }>(
  'processing.hurry',
  `update provider_operation
      set due_at = least(due_at, to_timestamp($3::float8 / 1000))
    where tenant_id = $1 and transaction_id = $2 and state in ('CALLING', 'UNKNOWN', 'WAITING')
   returning number, coalesce(leased_until > to_timestamp($3::float8 / 1000), false) as is_held`,
);

/** Opens one more operation of a payment, whose lock is held. */
export const openNext = statement<{ number: number }>(
  'processing.open_next',
  `with operation as (
     select $1::bigint as tenant_id, $2::uuid as transaction_id,
            (select coalesce(max(number), 0) + 1 from provider_operation
              where tenant_id = $1 and transaction_id = $2) as number,
            $3::text as kind, $4::uuid as refund_id, $5::bigint as channel_id, $6::text as provider, $7::bigint as amount,
            to_timestamp($8::float8 / 1000) as at
   ),
   ${opening}
   select number from operation`,
);

/** The charge that took the money, or may yet. */
export const findCharge = statement<{ number: number; channel_id: number; provider: ProviderName }>(
  'processing.find_charge',
  `select number, channel_id, provider from provider_operation
    where tenant_id = $1 and transaction_id = $2 and kind = 'CHARGE' and not void`,
);

export const findOpenCancel = statement<{ number: number }>(
  'processing.find_open_cancel',
  `select number from provider_operation
    where tenant_id = $1 and transaction_id = $2 and kind = 'CANCEL' and state in (${openStates})`,
);
