import { statement } from '../../../platform/postgres/statement.ts';
import { capturedAmount } from '../../payments/transactions/captured.ts';

export interface CustomerRow {
  tenant_id: number;
  id: number;
  /** Never changes. */
  livemode: boolean;
  name: string;
  email: string | null;
  phone: string | null;
  address: Record<string, string> | null;
  external_id: string | null;
  metadata: Record<string, unknown> | null;
  default_channel_id: number | null;
  /** Days to pay an invoice that names no day; null: the seller's. */
  due_days: number | null;
  default_method_id: string | null;
  clock_id: number | null;
  created_at: string;
  updated_at: string | null;
}

/** The columns of `CustomerRow`, from `customer c`. */
export const customerColumns = `c.tenant_id, c.id, c.livemode, c.name, c.email, c.phone, c.address, c.external_id,
    c.metadata, c.default_channel_id, c.due_days,
  (select m.id from payment_method m
    where m.tenant_id = c.tenant_id and m.customer_id = c.id and m.is_default) as default_method_id,
  c.clock_id, c.created_at, c.updated_at`;

export const insertCustomer = statement<CustomerRow>(
  'customers.insert',
  `insert into customer as c (tenant_id, name, email, phone, address, external_id, metadata, default_channel_id,
                              clock_id, created_at, livemode, due_days, events_complete)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, to_timestamp($10::float8 / 1000), $11, $12, true)
   returning ${customerColumns}`,
);

export const lockCustomer = statement<CustomerRow>(
  'customers.lock',
  `select ${customerColumns} from customer c where c.tenant_id = $1 and c.id = $2 for no key update`,
);

/** Optional fields as pairs: whether to write the field, and the value (null clears it). */
export const updateCustomer = statement<CustomerRow>(
  'customers.update',
  `update customer c
      set name = $3, email = case when $4 then $5 else c.email end, phone = case when $6 then $7 else c.phone end,
          address = case when $8 then $9::json else c.address end,
          external_id = case when $10 then $11 else c.external_id end,
          metadata = case when $12 then $13::json else c.metadata end,
          default_channel_id = case when $14 then $15::bigint else c.default_channel_id end,
          due_days = case when $16 then $17::smallint else c.due_days end,
          updated_at = to_timestamp($18::float8 / 1000)
    where c.tenant_id = $1 and c.id = $2
   returning ${customerColumns}`,
);

/** With the time of its test clock. Values: visible tenants, id. */
export const findCustomer = statement<CustomerRow & { clock_now: string | null }>(
  'customers.find',
  `select ${customerColumns}, k.now_at as clock_now
     from unnest($1::bigint[]) as visible (tenant_id)
     join customer c on c.tenant_id = visible.tenant_id and c.id = $2
     left join clock k on k.tenant_id = c.tenant_id and k.id = c.clock_id`,
);

/**
 * The oldest customer with this external id, live ones first: in several tenants or modes there can be more than one.
 * Values: visible tenants, external id, modes.
 */
export const findByExternalId = statement<CustomerRow>(
  'customers.find_by_external_id',
  `select ${customerColumns}
     from unnest($1::bigint[]) as visible (tenant_id)
     join customer c on c.tenant_id = visible.tenant_id and c.external_id = $2 and c.livemode = any ($3::boolean[])
    order by c.livemode desc, c.id limit 1`,
);

export interface PaidRow {
  currency: string;
  payments: number;
  /** Sums in minor units, as decimal digits. */
  captured: string;
  refunded: string;
  disputed: string;
}

/** What a customer has paid, by currency, most payments first. Values: tenant, customer. */
export const sumPayments = statement<PaidRow>(
  'customers.sum_payments',
  `select t.currency, count(*) as payments, sum(${capturedAmount('t')})::text as captured,
          sum(t.amount_refunded)::text as refunded, sum(coalesce(t.amount_disputed, 0))::text as disputed
     from transaction t
    where t.tenant_id = $1 and t.customer_id = $2 and ${capturedAmount('t')} > 0
    group by t.currency
    order by payments desc, t.currency`,
);
