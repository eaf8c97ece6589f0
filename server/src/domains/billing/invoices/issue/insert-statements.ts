import { statement } from '../../../../platform/postgres/statement.ts';

/**
 * Inserts invoices and their lines. One array for each column; `place` is the 1-based position of a line's invoice in the
 * arrays. Lines find their invoice's id by this position: with a join to `input`, PostgreSQL compared each of 500 lines with
 * 500 invoices.
 */
export const insertInvoicesWithLines = statement<{ place: number; id: number }>(
  'invoices.insert_many',
  `with input as (
     select row.*, next_id('invoice_id_seq') as id
       from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::bigint[],
                   $8::bigint[], $9::bigint[], $10::bigint[], $11::text[], $12::text[], $13::date[], $14::bigint[],
                   $15::float8[], $16::float8[], $17::float8[], $26::boolean[], $27::text[], $28::bigint[], $29::text[]) with ordinality
         as row (tenant_id, customer_id, user_id, currency, status, number, subtotal, tax, total, channel_id,
                 description, metadata, due_date, subscription_id, period_start_ms, period_end_ms, created_ms, livemode, series,
                 clock_id, seller, place)
   ), inserted as (
     insert into invoice (tenant_id, id, livemode, series, number, customer_id, status, currency, subtotal, tax, total, channel_id,
                          description, metadata, due_date, subscription_id, period_start, period_end, user_id,
                          created_at, finalized_at, paid_at, updated_at, clock_id, seller, events_complete)
     select tenant_id, id, livemode, series, number, customer_id, status, currency, subtotal, tax, total, channel_id, description,
            metadata::json, due_date, subscription_id, to_timestamp(period_start_ms / 1000),
            to_timestamp(period_end_ms / 1000), user_id, to_timestamp(created_ms / 1000),
            case when status <> 'DRAFT' then to_timestamp(created_ms / 1000) end,
            case when status = 'PAID' then to_timestamp(created_ms / 1000) end, to_timestamp(created_ms / 1000), clock_id,
            seller::json, true
       from input
   ), drawn as (
     select array_agg(id order by place) as ids from input
   ), lines as (
     insert into invoice_line (tenant_id, invoice_id, number, description, quantity, unit_amount, amount, tax_rate, tax_amount)
     select ($1::bigint[])[place], ids[place], number, description, quantity, unit_amount, amount, tax_rate, tax_amount
       from drawn
      cross join unnest($18::bigint[], $19::smallint[], $20::text[], $21::bigint[], $22::bigint[], $23::bigint[],
                        $24::int[], $25::bigint[])
         as line (place, number, description, quantity, unit_amount, amount, tax_rate, tax_amount)
   )
   select place, id from input order by place`,
);
