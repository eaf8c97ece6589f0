import { statement } from '../../../platform/postgres/statement.ts';

/** Values: visible tenants, ids. */
export const findCustomerNames = statement<{ id: number; name: string }>(
  'finance.find_customer_names',
  `select c.id, c.name
     from unnest($1::bigint[]) as visible (tenant_id)
     join customer c on c.tenant_id = visible.tenant_id and c.id = any ($2::bigint[])`,
);

export interface TransferRow {
  tenant_id: number;
  source_id: string;
  leg: number;
  transaction_id: string;
  channel_name: string;
  debit: string;
  credit: string;
  currency: string;
  amount: number;
  created_at: string;
}

/**
 * Transfers of a tenant after one of them, oldest first. Values: tenant, modes, currency (null: all), first and last
 * day, account (null: all), limit, and the place to go on after: time, source, leg (null: from the beginning).
 */
export const readTransfers = statement<TransferRow>(
  'finance.read_transfers',
  `select l.tenant_id, l.source_id, l.leg, l.transaction_id, c.name as channel_name, l.debit, l.credit, l.currency,
          l.amount, l.created_at
     from ledger_transfer l
     join channel c on c.id = l.channel_id
    where l.tenant_id = $1 and c.livemode = any ($2::boolean[]) and ($3::text is null or l.currency = $3)
      and ($6::text is null or $6 in (l.debit, l.credit))
      and l.created_at >= greatest($4::date::timestamp at time zone 'UTC', $8::timestamptz)
      and l.created_at < ($5::date + 1)::timestamp at time zone 'UTC'
      and ($8::timestamptz is null or (l.created_at, l.source_id, l.leg) > ($8::timestamptz, $9::uuid, $10::smallint))
    order by l.created_at, l.source_id, l.leg limit $7`,
);

export interface TaxRow {
  month: string;
  currency: string;
  country: string | null;
  /** In basis points; null: untaxed. */
  tax_rate: number | null;
  is_credit: boolean;
  lines: number;
  /** Sums in minor units, as decimal digits. */
  net: string;
  tax: string;
}

/**
 * Net and tax of the lines of finalized invoices that are not void, by month, currency, country of the customer and
 * rate; credits (lines below zero) apart. Values: visible tenants, modes, currency (null: all), from and to (ms), time
 * zone of the months.
 */
export const sumTaxes = statement<TaxRow>(
  'finance.sum_taxes',
  `select to_char(i.finalized_at at time zone $6, 'YYYY-MM') as month, i.currency, c.address->>'country' as country,
          l.tax_rate, l.amount < 0 as is_credit, count(*) as lines, sum(l.amount)::text as net,
          sum(l.tax_amount)::text as tax
     from unnest($1::bigint[]) as visible (tenant_id)
     join invoice i on i.tenant_id = visible.tenant_id
     join customer c on c.tenant_id = i.tenant_id and c.id = i.customer_id
     join invoice_line l on l.tenant_id = i.tenant_id and l.invoice_id = i.id
    where i.status in ('OPEN', 'PAID', 'UNCOLLECTIBLE') and i.livemode = any ($2::boolean[])
      and ($3::text is null or i.currency = $3)
      and i.finalized_at >= to_timestamp($4::float8 / 1000) and i.finalized_at < to_timestamp($5::float8 / 1000)
    group by 1, 2, 3, 4, 5
    order by 1, 2, 3 nulls last, 4 nulls first, 5`,
);
