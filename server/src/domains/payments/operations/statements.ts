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
