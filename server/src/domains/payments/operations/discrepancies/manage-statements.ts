import { statement } from '../../../../platform/postgres/statement.ts';
import type { DiscrepancyState } from './states.ts';

export interface DiscrepancyRow {
  livemode: boolean;
  transaction_id: string;
  number: number;
  channel_id: number;
  state: DiscrepancyState;
  said: string | null;
  said_livemode: boolean | null;
  amount: number | null;
  currency: string | null;
  reference: string | null;
  look_ups: number;
  opened_at: string;
  closed_at: string | null;
  closed_by: number | null;
  close_note: string | null;
}

/** The mode of a discrepancy is that of its channel. */
const livemode = '(select livemode from channel where channel.id = channel_id)';
const columns = `${livemode} as livemode, transaction_id, number, channel_id, state, said, said_livemode, amount,
    currency, reference, look_ups,
       opened_at, closed_at, closed_by, close_note`;

/**
 * Closes a discrepancy on behalf of a user, and fences off a look-up in progress. Returns nothing if the discrepancy
 * does not exist, or is closed already and its operation is not ended now. Values: tenant, payment, number, user, note,
 * now in ms, whether the operation is ended now.
 */
export const closeOpenDiscrepancy = statement<DiscrepancyRow>(
  'discrepancies.close',
  `update discrepancy
      set state = 'CLOSED', closed_by = $4, close_note = $5, closed_at = to_timestamp($6::float8 / 1000),
          lease = null, leased_until = null
    where tenant_id = $1 and transaction_id = $2 and number = $3 and (state in ('OPEN', 'DISAGREES') or $7)
   returning ${columns}`,
);

/** Values: tenant, payment, number. */
export const lockDiscrepancy = statement<DiscrepancyRow>(
  'discrepancies.lock',
  `select ${columns} from discrepancy where tenant_id = $1 and transaction_id = $2 and number = $3 for update`,
);

/** `$1` to `$5`: tenants; states; a payment and a channel, or null for all; modes. */
const isListed = `tenant_id = any ($1::bigint[]) and state = any ($2::text[])
      and ($3::uuid is null or transaction_id = $3) and ($4::bigint is null or channel_id = $4)
      and ${livemode} = any ($5::boolean[])`;

export const countDiscrepancies = statement<{ total: number }>(
  'discrepancies.count',
  `select count(*) as total from discrepancy where ${isListed}`,
);

/** One page, the latest first. Further values: rows to skip, limit. */
export const findDiscrepancyPage = statement<DiscrepancyRow>(
  'discrepancies.list',
  `select ${columns} from discrepancy
    where ${isListed}
    order by opened_at desc, transaction_id desc, number
   offset $6::bigint limit $7::bigint`,
);
