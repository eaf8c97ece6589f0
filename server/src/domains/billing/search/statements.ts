import { statement } from '../../../platform/postgres/statement.ts';
import { capturedAmount } from '../../payments/transactions/captured.ts';
import type { TransactionStatus } from '../../payments/transactions/states.ts';
import type { NumberSeries } from '../invoices/number.ts';
import type { InvoiceStatus } from '../invoices/states.ts';
import type { SubscriptionState } from '../subscriptions/states.ts';

export interface FoundRow {
  tenant_id: number;
  id: string;
}

/** Ends the statements of this transaction after a time. Values: the time in ms. */
export const limitStatements = statement('search.limit', "select set_config('statement_timeout', $1, true)");

/**
 * Among the newest entries of each tenant, which finds the words that many have: the index would have to read them all
 * and sort them. Values: tenants, mode, kind, patterns, entries of each tenant that are read, how many to find,
 * patterns of which one is enough.
 */
export const findAmongNewest = statement<FoundRow>(
  'search.find_among_newest',
  `select newest.tenant_id, newest.id
     from unnest($1::bigint[]) as shown (tenant_id)
    cross join lateral (
      select tenant_id, id, words from search_entry
       where tenant_id = shown.tenant_id and livemode = $2 and kind = $3 order by id desc limit $5
    ) as newest
    where newest.words like all ($4::text[]) and newest.words like any ($7::text[])
    order by newest.id desc limit $6`,
);

/**
 * By their tokens. Values: tenants, mode, kind, patterns, tokens in each tenant as text, how many to find, patterns of
 * which one is enough.
 */
export const findByTokens = statement<FoundRow>(
  'search.find_by_tokens',
  `with found as materialized (
     select entry.tenant_id, entry.id
       from unnest($1::bigint[], $5::text[]) as shown (tenant_id, tokens)
      cross join lateral (
        select tenant_id, id from search_entry
         where tokens @> shown.tokens::integer[] and tenant_id = shown.tenant_id and livemode = $2 and kind = $3
           and words like all ($4::text[]) and words like any ($7::text[])
      ) as entry
   )
   select tenant_id, id from found order by id desc limit $6`,
);

/** SQL of the rows that were found, in their order. Values: tenants, ids. */
const eachFound = (table: string, type: 'uuid' | 'bigint') =>
  `unnest($1::bigint[], $2::${type}[]) with ordinality as found (tenant_id, id, number)
     join ${table} r on r.tenant_id = found.tenant_id and r.id = found.id`;

const customerName =
  '(select name from customer where tenant_id = r.tenant_id and id = r.customer_id) as customer_name';

export interface PaymentRow {
  id: string;
  amount: number;
  currency: string;
  status: TransactionStatus;
  amount_captured: number;
  amount_refunded: number;
  description: string | null;
  customer_name: string | null;
  created_at: string;
}

export const showPayments = statement<PaymentRow>(
  'search.show_payments',
  `select r.id, r.amount, r.currency, r.status, ${capturedAmount('r')} as amount_captured, r.amount_refunded,
          r.description, ${customerName}, r.created_at
     from ${eachFound('transaction', 'uuid')} order by number`,
);

export interface CustomerRow {
  id: number;
  name: string;
  email: string | null;
  created_at: string;
}

export const showCustomers = statement<CustomerRow>(
  'search.show_customers',
  `select r.id, r.name, r.email, r.created_at from ${eachFound('customer', 'bigint')} order by number`,
);

export interface InvoiceRow {
  id: number;
  series: NumberSeries;
  number: number | null;
  total: number;
  currency: string;
  status: InvoiceStatus;
  customer_name: string | null;
  created_at: string;
}

export const showInvoices = statement<InvoiceRow>(
  'search.show_invoices',
  `select r.id, r.series, r.number, r.total, r.currency, r.status, ${customerName}, r.created_at
     from ${eachFound('invoice', 'bigint')} order by found.number`,
);

export interface SubscriptionRow {
  id: number;
  state: SubscriptionState;
  plan_name: string;
  customer_name: string | null;
  created_at: string;
}

export const showSubscriptions = statement<SubscriptionRow>(
  'search.show_subscriptions',
  `select r.id, r.state, (select name from plan where tenant_id = r.tenant_id and id = r.plan_id) as plan_name,
          ${customerName}, r.created_at
     from ${eachFound('subscription', 'bigint')} order by number`,
);
