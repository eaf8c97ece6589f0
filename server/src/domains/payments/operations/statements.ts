import { statement } from '../../../platform/postgres/statement.ts';
import type { ProviderName } from '../providers/directory.ts';
import { openOperationsCte, operationsDue } from './open.cte.ts';

/**
 * Where a statement finds operations by their key, it says open by these words, not by `finished_at is null`: the planner
 * would take that for an offer to read the index of all that are open.
 */
export const openStates = `'READY', 'CALLING', 'UNKNOWN', 'WAITING'`;

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
   ${openOperationsCte}
   select number from operation`,
  { wakes: [{ topic: operationsDue }] },
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
