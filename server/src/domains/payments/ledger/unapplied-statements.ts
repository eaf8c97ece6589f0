import { statement, type Topic } from '../../../platform/postgres/statement.ts';
import { unappliedEntriesOf } from './book.cte.ts';

/** As the topic of the totals of payments: one worker rolls both up. */
const rollupsDue: Topic = 'rollups';

/**
 * Books what a payment took although it pays nothing, on the channel that took it, as far as it is not booked yet: when
 * it has succeeded, and again when a dispute gives back what another payment has paid meanwhile. Refunds book the
 * reverse (`bookTransfers`). Values: tenant, payment, what shall be unapplied of it, now (ms).
 */
export const bookUnapplied = statement<{ amount: number }>(
  'ledger.book_unapplied',
  `with standing as (
     select coalesce(sum(case when credit = 'UNAPPLIED' then amount else -amount end), 0)::bigint as amount,
            coalesce(max(leg) filter (where source_id = $2), 2) as leg
       from (${unappliedEntriesOf('$1', '$2')}) as entry
   ), booked as (
     insert into ledger_transfer (tenant_id, source_id, leg, transaction_id, channel_id, debit, credit, currency,
                                  amount, created_at)
     select tenant_id, transaction_id, standing.leg + 1, transaction_id, channel_id, 'MERCHANT_PAYABLE', 'UNAPPLIED',
            currency, $3 - standing.amount, to_timestamp($4::float8 / 1000)
       from (select tenant_id, transaction_id, channel_id, currency from ledger_transfer
              where tenant_id = $1 and source_id = $2 and leg = 1
              union all
             -- Money that was captured by requests.
             select tenant_id, transaction_id, channel_id, currency from ledger_transfer
              where tenant_id = $1 and transaction_id = $2 and source_id <> transaction_id
                and debit = 'PROVIDER_RECEIVABLE' and credit = 'MERCHANT_PAYABLE'
              limit 1) as taken
      cross join standing
      where $3 > standing.amount
     returning tenant_id, channel_id, currency, amount, created_at
   ), summed as (
     insert into ledger_total_delta (tenant_id, livemode, debit, credit, currency, day, count, amount)
     select booked.tenant_id, coalesce(channel.livemode, true), 'MERCHANT_PAYABLE', 'UNAPPLIED', currency,
            (booked.created_at at time zone 'UTC')::date, 1, amount
       from booked
       left join channel on channel.id = booked.channel_id
   )
   select amount from booked`,
  { wakes: [{ topic: rollupsDue }] },
);
