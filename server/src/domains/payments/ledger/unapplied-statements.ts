import { statement, type Topic } from '../../../platform/postgres/statement.ts';

/** As the topic of the totals of payments: one worker rolls both up. */
const rollupsDue: Topic = 'rollups';

/**
 * Books what a payment took although it pays nothing, on the channel that took it: once for each payment. Refunds book
 * the reverse (`bookTransfers`). Values: tenant, payment, amount, now (ms).
 */
export const bookUnapplied = statement<{ amount: number }>(
  'ledger.book_unapplied',
  `with booked as (
     insert into ledger_transfer (tenant_id, source_id, leg, transaction_id, channel_id, debit, credit, currency,
                                  amount, created_at)
     select tenant_id, transaction_id, 3, transaction_id, channel_id, 'MERCHANT_PAYABLE', 'UNAPPLIED', currency, $3,
            to_timestamp($4::float8 / 1000)
       from (select tenant_id, transaction_id, channel_id, currency from ledger_transfer
              where tenant_id = $1 and source_id = $2 and leg = 1
              union all
             -- Money that was captured by requests.
             select tenant_id, transaction_id, channel_id, currency from ledger_transfer
              where tenant_id = $1 and transaction_id = $2 and source_id <> transaction_id
                and debit = 'PROVIDER_RECEIVABLE' and credit = 'MERCHANT_PAYABLE'
              limit 1) as taken
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
