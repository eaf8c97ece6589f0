import type { Metadata } from '../../../../core/metadata.ts';
import { columns } from '../../../../platform/postgres/columns.ts';
import { statement } from '../../../../platform/postgres/statement.ts';
import type { NumberSeries } from '../../invoices/number.ts';
import type { SearchKind } from '../words.ts';

interface OfCustomer {
  customer_name: string | null;
  customer_email: string | null;
}

export interface PaymentRow extends OfCustomer {
  id: string;
  livemode: boolean;
  amount: number;
  currency: string;
  description: string | null;
  metadata: Metadata | null;
  provider_reference: string | null;
  last4: string | null;
}

/** Each record by its key: a join of this list would read a tenant's whole table until it has been analysed. */
const eachOf = (table: string, type: 'uuid' | 'bigint') =>
  `unnest($2::${type}[]) as wanted (id)
    cross join lateral (select * from ${table} where tenant_id = $1 and id = wanted.id offset 0) as r`;

const itsCustomer =
  'left join lateral (select name, email from customer where tenant_id = $1 and id = r.customer_id offset 0) c on true';

/** Values: tenant, ids. */
export const readPayments = statement<PaymentRow>(
  'search.read_payments',
  `select r.id, r.livemode, r.amount, r.currency, r.description, r.metadata, r.provider_reference,
          c.name as customer_name, c.email as customer_email,
          (select last4 from payment_method where tenant_id = $1 and id = r.method_id) as last4
     from ${eachOf('transaction', 'uuid')} ${itsCustomer}`,
);

export interface CustomerRow {
  id: number;
  livemode: boolean;
  name: string;
  email: string | null;
  phone: string | null;
  external_id: string | null;
  metadata: Metadata | null;
  last4s: string[];
}

/** Values: tenant, ids. */
export const readCustomers = statement<CustomerRow>(
  'search.read_customers',
  `select r.id, r.livemode, r.name, r.email, r.phone, r.external_id, r.metadata,
          array(select last4 from payment_method
                 where tenant_id = $1 and customer_id = r.id and last4 is not null and status <> 'DETACHED') as last4s
     from ${eachOf('customer', 'bigint')}`,
);

export interface InvoiceRow extends OfCustomer {
  id: number;
  livemode: boolean;
  series: NumberSeries;
  number: number | null;
  total: number;
  currency: string;
  description: string | null;
  metadata: Metadata | null;
}

/** Values: tenant, ids. */
export const readInvoices = statement<InvoiceRow>(
  'search.read_invoices',
  `select r.id, r.livemode, r.series, r.number, r.total, r.currency, r.description, r.metadata,
          c.name as customer_name, c.email as customer_email
     from ${eachOf('invoice', 'bigint')} ${itsCustomer}`,
);

export interface SubscriptionRow extends OfCustomer {
  id: number;
  livemode: boolean;
  amount: number;
  currency: string;
  metadata: Metadata | null;
}

/** Values: tenant, ids. */
export const readSubscriptions = statement<SubscriptionRow>(
  'search.read_subscriptions',
  `select r.id, r.livemode, r.unit_amount * r.quantity as amount, r.currency, r.metadata,
          c.name as customer_name, c.email as customer_email
     from ${eachOf('subscription', 'bigint')} ${itsCustomer}`,
);

export interface Entry {
  livemode: boolean;
  kind: SearchKind;
  id: string;
  words: string;
  tokens: readonly number[];
}

const entryColumns = columns<Entry>([
  ['livemode', 'boolean', ({ livemode }) => livemode],
  ['kind', 'text', ({ kind }) => kind],
  ['id', 'uuid', ({ id }) => id],
  ['words', 'text', ({ words }) => words],
  ['tokens', 'text', ({ tokens }) => `{${tokens.join(',')}}`],
]);

/** Returns the entries that are new or changed. Values: of the entries, then the tenant. */
export const writeEntries = statement<{ kind: SearchKind; id: string; is_change: boolean }>(
  'search.write_entries',
  `insert into search_entry as entry (tenant_id, livemode, kind, id, words, tokens)
   select $${entryColumns.list.length + 1}, livemode, kind, id, words, tokens::integer[]
     from (${entryColumns.relation()}) as draft
   on conflict (tenant_id, livemode, kind, id)
   do update set words = excluded.words, tokens = excluded.tokens where entry.words <> excluded.words
   returning kind, id, xmax::text <> '0' as is_change`,
);

export const entryValues = (tenantId: number, entries: readonly Entry[]) => [
  ...entryColumns.parametersOf(entries),
  tenantId,
];
