import { rollupOf } from '../../../platform/jobs/rollup-statements.ts';
import { columns } from '../../../platform/postgres/columns.ts';
import { relation } from '../../../platform/postgres/relation.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import type { ProviderName } from '../providers/directory.ts';
import { openCaptureOperations, openOperations, operationsDue } from './open.cte.ts';

/**
 * The states of open operations, as an SQL list. Statements that find operations by key test for these states, not for
 * `finished_at is null`: with that condition the planner may read the index of all open operations instead.
 */
export const openStates = `'READY', 'CALLING', 'UNKNOWN', 'WAITING'`;

const nextOperation = relation(
  'operation',
  {
    tenant_id: '$1::bigint',
    transaction_id: '$2::uuid',
    number: `(select coalesce(max(number), 0) + 1 from provider_operation
              where tenant_id = $1 and transaction_id = $2)`,
    kind: '$3::text',
    refund_id: '$4::uuid',
    channel_id: '$5::bigint',
    provider: '$6::text',
    amount: '$7::bigint',
    background: 'false',
    at: 'to_timestamp($8::float8 / 1000)',
  },
  '',
);

/**
 * Opens a further operation of a locked payment. Values: tenant, payment, kind, refund (or null), channel,
 * provider, amount, time in ms.
 */
export const openOperation = statement<{ number: number }>(
  'operations.open_next',
  `with ${nextOperation.cte},
   ${openOperations(nextOperation)}
   select number from operation`,
  { wakes: [{ topic: operationsDue }] },
);

const nextCapture = relation(
  'operation',
  {
    tenant_id: '$1::bigint',
    transaction_id: '$2::uuid',
    number: `(select coalesce(max(number), 0) + 1 from provider_operation
              where tenant_id = $1 and transaction_id = $2)`,
    kind: '$3::text',
    refund_id: 'null::uuid',
    channel_id: '$4::bigint',
    provider: '$5::text',
    amount: '$6::bigint',
    background: 'false',
    at: 'to_timestamp($7::float8 / 1000)',
    capture_id: '$8::uuid',
    is_final: '$9::boolean',
  },
  '',
);

/**
 * Opens a capture or a release of a locked payment. Values: tenant, payment, kind, channel, provider, amount, time in
 * ms, capture (or null), whether it is final (or null).
 */
export const openCaptureOperation = statement<{ number: number }>(
  'operations.open_capture',
  `with ${nextCapture.cte},
   ${openCaptureOperations(nextCapture)}
   select number from operation`,
  { wakes: [{ topic: operationsDue }] },
);

/** What is under way of an authorized payment besides its charge. Values: tenant, payment. */
export const findUnderWay = statement<{ kind: 'CANCEL' | 'CAPTURE' | 'RELEASE' }>(
  'operations.find_under_way',
  `select kind from provider_operation
    where tenant_id = $1 and transaction_id = $2 and kind in ('CANCEL', 'CAPTURE', 'RELEASE')
      and state in (${openStates})`,
);

/** The charge that took the money of a payment, or will. */
export interface ChargeRow {
  number: number;
  channel_id: number;
  provider: ProviderName;
  /** The provider of its channel now. */
  channel_provider: ProviderName | null;
}

/** The charge that took the money or may still take it. Values: tenant, payment. */
export const findCharge = statement<ChargeRow>(
  'operations.find_charge',
  `select number, channel_id, provider, (select provider from channel where channel.id = channel_id) as channel_provider
     from provider_operation
    where tenant_id = $1 and transaction_id = $2 and kind = 'CHARGE' and not void`,
);

/**
 * Cancels a payment's charge that is READY, without a call, and counts it; returns nothing if there is none. A charge
 * that is being claimed or settled is locked, and is left alone: waiting for it could deadlock, because its settlement
 * locks the payment. Runs in the transaction that cancels the payment. Values: tenant, payment, now in ms.
 */
export const cancelUnsentCharge = statement<{ number: number }>(
  'operations.cancel_unsent_charge',
  `with unsent as (
     select tenant_id, transaction_id, number from provider_operation
      where tenant_id = $1 and transaction_id = $2 and kind = 'CHARGE' and state = 'READY'
        for update skip locked
   ),
   cancelled as (
     update provider_operation o
        set state = 'CANCELLED', void = true, settled_by = 'nothing', finished_at = to_timestamp($3::float8 / 1000)
       from unsent
      where (o.tenant_id, o.transaction_id, o.number) = (unsent.tenant_id, unsent.transaction_id, unsent.number)
     returning o.tenant_id, o.transaction_id, o.number, o.channel_id, o.state, o.finished_at
   ),
   counted as (
     insert into charge_total_delta (tenant_id, day, hour, channel_id, currency, outcome, count)
     select c.tenant_id, (c.finished_at at time zone 'UTC')::date,
            date_part('hour', c.finished_at at time zone 'UTC'), c.channel_id, t.currency, c.state, 1
       from cancelled c
       join transaction t on t.tenant_id = c.tenant_id and t.id = c.transaction_id
   )
   select number from cancelled`,
);

/** How many payments have an open charge, refund or cancellation through a channel. Values: channel. */
export const countOpenOfChannel = statement<{ count: number }>(
  'operations.count_open_of_channel',
  `select count(distinct (tenant_id, transaction_id)) as count from provider_operation
    where channel_id = $1 and finished_at is null`,
);

/**
 * Records that a charge is cancelled although nobody has asked for that. Values: tenant, payment, number, now in ms,
 * why: the code of the failure.
 */
export const markGivenUp = statement<{ number: number }>(
  'operations.mark_given_up',
  `update provider_operation set given_up_at = to_timestamp($4::float8 / 1000), given_up_code = $5
    where tenant_id = $1 and transaction_id = $2 and number = $3 and kind = 'CHARGE' and given_up_at is null
      and state in (${openStates})
   returning number`,
);

/** The open cancellation of a payment. Values: tenant, payment. */
export const findOpenCancellation = statement<{ number: number }>(
  'operations.find_open_cancel',
  `select number from provider_operation
    where tenant_id = $1 and transaction_id = $2 and kind = 'CANCEL' and state in (${openStates})`,
);

/**
 * The refunds of a locked payment that were not sent, the newest first, locked. One that is being claimed is left out:
 * it is about to be sent. Values: tenant, payment.
 */
export const lockUnsentRefunds = statement<{ number: number; amount: number }>(
  'operations.lock_unsent_refunds',
  `select number, amount from provider_operation
    where tenant_id = $1 and transaction_id = $2 and kind = 'REFUND' and state = 'READY'
    order by number desc
      for update skip locked`,
);

/** An operation that this node has leased. */
interface LeasedKey {
  tenant_id: number;
  /** The payment's UUID. */
  id: string;
  number: number;
  lease: string;
}

const leasedKeyColumns = <Row>(keyOf: (row: Row) => LeasedKey) =>
  [
    ['tenant_id', 'bigint', (row: Row) => keyOf(row).tenant_id],
    ['transaction_id', 'uuid', (row: Row) => keyOf(row).id],
    ['number', 'smallint', (row: Row) => keyOf(row).number],
    ['lease', 'uuid', (row: Row) => keyOf(row).lease],
  ] as const;

/** What is recorded of an operation without a final outcome. */
export interface Deferral {
  operation: LeasedKey;
  state: 'UNKNOWN' | 'WAITING' | 'READY';
  dueMs: number;
  /** When a rate limit refused it, in ms; the first one is kept. */
  limitedMs?: number;
  /** The provider's own id, if known. */
  reference: string | null;
  /** Added to the operation's count, like `lookUps`. */
  calls: number;
  lookUps: number;
}

export const deferralColumns = columns<Deferral>([
  ...leasedKeyColumns(({ operation }: Deferral) => operation),
  ['state', 'text', ({ state }) => state],
  ['due_ms', 'float8', ({ dueMs }) => dueMs],
  ['limited_ms', 'float8', ({ limitedMs }) => limitedMs ?? null],
  ['reference', 'text', ({ reference }) => reference],
  ['calls', 'smallint', ({ calls }) => calls],
  ['look_ups', 'smallint', ({ lookUps }) => lookUps],
]);

/**
 * Records operations without a final outcome, fenced by the lease. An operation that is READY again was not sent, so it
 * has no time of a call. Values: those of `deferralColumns`.
 */
export const deferOperations = statement(
  'operations.defer',
  `update provider_operation o
      set state = deferred.state, due_at = to_timestamp(deferred.due_ms / 1000), lease = null, leased_until = null,
          called_at = case when deferred.state <> 'READY' then o.called_at end,
          limited_at = coalesce(o.limited_at, to_timestamp(deferred.limited_ms / 1000)),
          provider_reference = coalesce(deferred.reference, o.provider_reference),
          calls = least(o.calls + deferred.calls, 32767), look_ups = least(o.look_ups + deferred.look_ups, 32767)
     from (${deferralColumns.relation()}) as deferred
    where o.tenant_id = deferred.tenant_id and o.transaction_id = deferred.transaction_id and o.number = deferred.number
      and o.lease = deferred.lease`,
);

/** Operations that were claimed and not started, with the state before the claim. */
export const releaseColumns = columns<LeasedKey & { state: string }>([
  ...leasedKeyColumns((operation: LeasedKey & { state: string }) => operation),
  ['state', 'text', ({ state }) => state],
]);

/**
 * Ends the leases of operations that were not started: they are due again at once. Values: those of `releaseColumns`.
 */
export const releaseOperations = statement(
  'operations.release',
  `update provider_operation o
      set lease = null, leased_until = null, state = released.state
     from (${releaseColumns.relation()}) as released
    where o.tenant_id = released.tenant_id and o.transaction_id = released.transaction_id and o.number = released.number
      and o.lease = released.lease`,
);

/**
 * Makes the open operations of a payment due now, because the provider has reported a change that a look-up must find.
 * The look-up of a leased operation may have begun before the change, and its result postpones the due time again: the
 * caller must then repeat this. Values: tenant, payment, now in ms.
 */
export const makeOperationsDue = statement<{ number: number; is_leased: boolean }>(
  'operations.make_due',
  `update provider_operation
      set due_at = least(due_at, to_timestamp($3::float8 / 1000))
    where tenant_id = $1 and transaction_id = $2 and state in ('CALLING', 'UNKNOWN', 'WAITING')
   returning number, coalesce(leased_until > to_timestamp($3::float8 / 1000), false) as is_leased`,
  { wakes: [{ topic: operationsDue, when: (rows) => rows.length > 0 }] },
);

/**
 * The method that the next charge of a payment uses, in the transaction that opened it. Values: tenant, payment,
 * channel, method.
 */
export const setMethodOfNext = statement(
  'operations.set_method_of_next',
  `update provider_operation set method_id = $4
    where tenant_id = $1 and transaction_id = $2 and channel_id = $3 and kind = 'CHARGE' and state = 'READY'`,
);

/** Moves all rows of charge_total_delta into charge_total and charge_hour_total. */
export const rollUpCharges = rollupOf({
  name: 'statistics.roll_up_charges',
  totals: 'charge_total',
  deltas: 'charge_total_delta',
  key: ['tenant_id', 'day', 'channel_id', 'currency', 'outcome'],
  further: { totals: 'charge_hour_total', key: ['tenant_id', 'day', 'hour', 'channel_id', 'outcome'] },
  sums: ['count'],
});

/** Deletes counts by hour of days before one. Values: the day, how many rows. */
export const deleteChargeHours = statement(
  'statistics.delete_charge_hours',
  `delete from charge_hour_total
    where ctid = any (array(select ctid from charge_hour_total where day < $1::date limit $2 for update skip locked))
   returning 1`,
);
