import { statement } from '../../../../platform/postgres/statement.ts';
import { amountReserved } from '../../invoices/statements.ts';

/** Values: hash of the token, tenant, customer, user, return address, now (ms), expiry (ms). */
export const insertPortal = statement(
  'portals.insert',
  `insert into customer_portal (token_hash, tenant_id, customer_id, user_id, return_url, created_at, expires_at)
   values ($1, $2, $3, $4, $5, to_timestamp($6::float8 / 1000), to_timestamp($7::float8 / 1000))`,
);

/** A portal that has not expired, with its customer and its seller. */
export interface PortalRow {
  tenant_id: number;
  customer_id: number;
  user_id: number;
  return_url: string | null;
  customer_name: string;
  customer_email: string | null;
  default_channel_id: number | null;
  livemode: boolean;
  seller_name: string;
  brand_color: string | null;
  has_logo: boolean;
}

/** Values: hash of the token, now (ms). */
export const findPortal = statement<PortalRow>(
  'portals.find',
  `select p.tenant_id, p.customer_id, p.user_id, p.return_url, c.name as customer_name, c.livemode,
          c.email as customer_email, c.default_channel_id,
          t.name as seller_name, s.brand_color, s.logo is not null as has_logo
     from customer_portal p
     join customer c on c.tenant_id = p.tenant_id and c.id = p.customer_id
     join tenant t on t.id = p.tenant_id and t.state
     left join seller s on s.tenant_id = p.tenant_id
    where p.token_hash = $1 and p.expires_at > to_timestamp($2::float8 / 1000)`,
);

export interface PortalInvoice {
  id: number;
  series: 'INV' | 'TEST';
  number: number;
  status: 'OPEN' | 'PAID' | 'VOID' | 'UNCOLLECTIBLE';
  currency: string;
  total: number;
  /** Whether a payment is in progress. */
  is_processing: boolean;
  finalized_at: string;
}

/** The newest finalized invoices of a customer. Values: tenant, customer, limit. */
export const findInvoicesOfCustomer = statement<PortalInvoice>(
  'portals.find_invoices',
  `select id, series, number, status, currency, total, ${amountReserved} > 0 as is_processing, finalized_at
     from invoice i
    where tenant_id = $1 and customer_id = $2 and number is not null
    order by id desc limit $3`,
);

/** A finalized invoice of a customer. Values: tenant, customer, invoice. */
export const findInvoiceOfCustomer = statement<{ id: number }>(
  'portals.find_invoice',
  'select id from invoice where tenant_id = $1 and customer_id = $2 and id = $3 and number is not null',
);

export interface PortalSubscription {
  id: number;
  plan_name: string;
  state: 'TRIALING' | 'ACTIVE' | 'PAST_DUE' | 'PAUSED';
  currency: string;
  unit_amount: number;
  quantity: number;
  period_end: string;
  cancel_at_period_end: boolean;
}

/** The newest subscriptions of a customer that have not ended. Values: tenant, customer, limit. */
export const findSubscriptionsOfCustomer = statement<PortalSubscription>(
  'portals.find_subscriptions',
  `select s.id, plan.name as plan_name, s.state, s.currency, s.unit_amount, s.quantity, s.period_end,
       s.cancel_at_period_end
     from subscription s
     join plan on plan.tenant_id = s.tenant_id and plan.id = s.plan_id
    where s.tenant_id = $1 and s.customer_id = $2 and s.state not in ('CANCELLED', 'EXPIRED')
    order by s.id desc limit $3`,
);

/** Deletes links that expired before a time. Values: the time (ms), limit. */
export const sweepPortals = statement<{ tenant_id: number }>(
  'portals.sweep',
  `delete from customer_portal
    where token_hash in (
      select token_hash from customer_portal where expires_at < to_timestamp($1::float8 / 1000)
       order by expires_at limit $2)
   returning tenant_id`,
);
