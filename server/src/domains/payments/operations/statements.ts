import { rollupOf } from '../../../platform/jobs/rollup-statements.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import type { ProviderName } from '../providers/directory.ts';
import { openOperationsCte, operationsDue } from './open.cte.ts';

/**
 * The states of open operations, as an SQL list. Statements that find operations by key test for these states, not for
 * `finished_at is null`: with that condition the planner may read the index of all open operations instead.
 */
export const openStates = `'READY', 'CALLING', 'UNKNOWN', 'WAITING'`;

/**
 * Opens a further operation of a payment whose lock is held. Values: tenant, payment, kind, refund (or null), channel,
 * provider, amount, time in ms.
 */
export const openOperation = statement<{ number: number }>(
  'processing.open_next',
  `with operation as (
     select $1::bigint as tenant_id, $2::uuid as transaction_id,
            (select coalesce(max(number), 0) + 1 from provider_operation
              where tenant_id = $1 and transaction_id = $2) as number,
            $3::text as kind, $4::uuid as refund_id, $5::bigint as channel_id, $6::text as provider, $7::bigint as amount,
            to_timestamp($8::float8 / 1000) as at
   ),
   ${openOperationsCte}
   select number from operation`,
  { wakes: [{ topic: operationsDue }] },
);

/** The charge that took the money or may still take it. Values: tenant, payment. */
export const findCharge = statement<{ number: number; channel_id: number; provider: ProviderName }>(
  'processing.find_charge',
  `select number, channel_id, provider from provider_operation
    where tenant_id = $1 and transaction_id = $2 and kind = 'CHARGE' and not void`,
);

/** The open cancellation of a payment. Values: tenant, payment. */
export const findOpenCancellation = statement<{ number: number }>(
  'processing.find_open_cancel',
  `select number from provider_operation
    where tenant_id = $1 and transaction_id = $2 and kind = 'CANCEL' and state in (${openStates})`,
);

/**
 * Records operations without a final outcome: the new state, when they are due again, and the provider's own id if known.
 * Fenced by the lease. One array for each column: tenant, payment, number, lease, state, due (ms), reference, and the
 * calls and look-ups to add.
 */
export const deferOperations = statement(
  'processing.defer',
  `update provider_operation o
      set state = deferred.state, due_at = to_timestamp(deferred.due_ms / 1000), lease = null, leased_until = null,
          provider_reference = coalesce(deferred.reference, o.provider_reference),
          calls = least(o.calls + deferred.calls, 32767), look_ups = least(o.look_ups + deferred.look_ups, 32767)
     from unnest($1::bigint[], $2::uuid[], $3::smallint[], $4::uuid[], $5::text[], $6::float8[], $7::text[],
                 $8::smallint[], $9::smallint[])
       as deferred (tenant_id, transaction_id, number, lease, state, due_ms, reference, calls, look_ups)
    where o.tenant_id = deferred.tenant_id and o.transaction_id = deferred.transaction_id and o.number = deferred.number
      and o.lease = deferred.lease`,
);

/**
 * Ends the leases of operations that were claimed and not started, so that they are due again at once. One array for each
 * column: tenant, payment, number, lease, and the state before the claim.
 */
export const releaseOperations = statement(
  'processing.release',
  `update provider_operation o
      set lease = null, leased_until = null, state = released.state
     from unnest($1::bigint[], $2::uuid[], $3::smallint[], $4::uuid[], $5::text[])
       as released (tenant_id, transaction_id, number, lease, state)
    where o.tenant_id = released.tenant_id and o.transaction_id = released.transaction_id and o.number = released.number
      and o.lease = released.lease`,
);

/**
 * Makes the open operations of a payment due now, so that they are looked up: the provider has reported a change. An
 * operation that is leased is being looked up already, possibly since before the change, and the result of that look-up
 * sets a later due time again: the caller must repeat this. Values: tenant, payment, now in ms.
 */
export const makeOperationsDue = statement<{ number: number; is_leased: boolean }>(
  'processing.hurry',
  `update provider_operation
      set due_at = least(due_at, to_timestamp($3::float8 / 1000))
    where tenant_id = $1 and transaction_id = $2 and state in ('CALLING', 'UNKNOWN', 'WAITING')
   returning number, coalesce(leased_until > to_timestamp($3::float8 / 1000), false) as is_leased`,
  { wakes: [{ topic: operationsDue, when: (rows) => rows.length > 0 }] },
);

/** Moves all rows of charge_total_delta into charge_total. */
export const rollUpCharges = rollupOf({
  name: 'statistics.roll_up_charges',
  totals: 'charge_total',
  deltas: 'charge_total_delta',
  key: ['tenant_id', 'day', 'channel_id', 'currency', 'outcome'],
  sums: ['count'],
});
