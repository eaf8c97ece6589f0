import { statement } from '../../../../platform/postgres/statement.ts';
import { type DiscrepancyRow, discrepancyColumns } from './record.ts';

/**
 * Closes a discrepancy on behalf of a user, and fences off a look-up in progress. Returns nothing if the discrepancy
 * does not exist, or is closed already and its operation is not ended now. Values: tenant, id, user, note, now in ms,
 * whether the operation is ended now.
 */
export const closeOpenDiscrepancy = statement<DiscrepancyRow>(
  'discrepancies.close',
  `update discrepancy d
      set state = 'CLOSED', closed_by = $3, close_note = $4, closed_at = to_timestamp($5::float8 / 1000),
          lease = null, leased_until = null
    where d.tenant_id = $1 and d.id = $2 and (d.state in ('OPEN', 'DISAGREES') or $6)
   returning ${discrepancyColumns('d')}`,
);

/** A discrepancy in one of these tenants. Values: tenants, id. */
export const findDiscrepancy = statement<DiscrepancyRow>(
  'discrepancies.find',
  `select ${discrepancyColumns('d')} from discrepancy d where d.tenant_id = any ($1::bigint[]) and d.id = $2`,
);

/** Values: tenant, id. */
export const lockDiscrepancy = statement<DiscrepancyRow>(
  'discrepancies.lock',
  `select ${discrepancyColumns('d')} from discrepancy d where d.tenant_id = $1 and d.id = $2 for update`,
);

/** `$1` to `$6`: tenants; states; a payment and a channel, or null for all; modes; a kind, or null for all. */
const isListed = `tenant_id = any ($1::bigint[]) and state = any ($2::text[])
      and ($3::uuid is null or transaction_id = $3) and ($4::bigint is null or channel_id = $4)
      and coalesce((select livemode from channel where channel.id = channel_id), true) = any ($5::boolean[])
      and ($6::text is null or kind = $6)`;

export const countDiscrepancies = statement<{ total: number }>(
  'discrepancies.count',
  `select count(*) as total from discrepancy where ${isListed}`,
);

/** One page, the latest first. Further values: rows to skip, limit. */
export const findDiscrepancyPage = statement<DiscrepancyRow>(
  'discrepancies.list',
  `select ${discrepancyColumns('d')} from discrepancy d
    where ${isListed}
    order by opened_at desc, id desc
   offset $7::bigint limit $8::bigint`,
);
