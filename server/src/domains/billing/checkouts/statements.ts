import { statement } from '../../../platform/postgres/statement.ts';
import { amountReserved } from '../invoices/statements.ts';

export interface CheckoutRow {
  tenant_id: number;
  id: number;
  /** The mode of its channels, or of its invoice. */
  livemode: boolean;
  token_sealed: Buffer;
  invoice_id: number | null;
  /** Null: the remaining amount of the invoice. */
  amount: number | null;
  currency: string;
  channel_ids: number[];
  /** Null: its payments are captured at once. */
  capture_method: 'MANUAL' | null;
  /** Whether its page offers the customer's payment methods. */
  offers_methods: boolean;
  customer_id: number | null;
  description: string | null;
  metadata: Record<string, unknown> | null;
  return_url: string | null;
  user_id: number;
  closed_at: string | null;
  expires_at: string;
  created_at: string;
  updated_at: string;
  /** The number of its payments. */
  payments: number;
  /** The payment that has paid the amount, otherwise the newest. */
  transaction_id: string | null;
  amount_to_return: number;
  /** Whether its amount or its invoice is paid. */
  is_paid: boolean;
  paid_at: string | null;
  /** Whether its newest payment has not ended, or a payment of its invoice is in progress. */
  is_processing: boolean;
  /** Whether its invoice can still be paid; true without an invoice. */
  is_payable: boolean;
}

/**
 * The newest payment and the invoice of `checkout c` decide its status. Each subquery is a lookup by the whole key:
 * with joins, a list that reads 10,000 checkouts built a hash table of all payments of the tenant, 1.6 s for 200,000 of
 * them.
 */
const statusOfPayment =
  '(select t.status from transaction t where t.tenant_id = p.tenant_id and t.id = p.transaction_id)';
const hasPaid = `(c.invoice_id is null and p.excess = 0 and ${statusOfPayment} in ('SUCCESS', 'REFUNDED'))`;
/** The payment that has paid the amount, otherwise the newest. */
const shownPayment = `(
    select p.transaction_id from checkout_payment p
     where p.tenant_id = c.tenant_id and p.checkout_id = c.id order by ${hasPaid} desc, p.number desc limit 1)`;
const ofPayment = (value: string) =>
  `(select ${value} from transaction t where t.tenant_id = c.tenant_id and t.id = ${shownPayment})`;
const ofInvoice = (value: string) =>
  `(select ${value} from invoice i where i.tenant_id = c.tenant_id and i.id = c.invoice_id)`;
const isOfInvoice = (value: string) => `(c.invoice_id is not null and coalesce(${ofInvoice(value)}, false))`;

export const isPaid = `(${isOfInvoice(`i.status = 'PAID'`)}
  or (c.invoice_id is null and coalesce(${ofPayment(`t.status in ('SUCCESS', 'REFUNDED')`)}, false)))`;
export const isProcessing = `(coalesce(${ofPayment(`t.status in ('PENDING', 'PROCESSING')`)}, false)
  or ${isOfInvoice(`${amountReserved} > 0`)})`;
export const isPayable = `(c.invoice_id is null
    or coalesce(${ofInvoice(`i.status in ('OPEN', 'UNCOLLECTIBLE')`)}, false))`;

const excessLeft = `(select greatest(p.excess - t.amount_refund_held, 0) from transaction t
    where t.tenant_id = p.tenant_id and t.id = p.transaction_id)`;
/** What payments took although the amount was paid already, as far as no refund returns it. */
export const amountToReturn = `coalesce((select sum(${excessLeft}) from checkout_payment p
    where p.tenant_id = c.tenant_id and p.checkout_id = c.id and p.excess > 0), 0)::bigint`;

/** The columns of `CheckoutRow`, from `checkout c`. */
export const checkoutColumns = `c.tenant_id, c.id, c.livemode, c.token_sealed, c.invoice_id, c.amount, c.currency,
    c.channel_ids, c.capture_method, c.offers_methods, c.customer_id,
  c.description, c.metadata, c.return_url, c.user_id, c.closed_at, c.expires_at, c.created_at, c.updated_at,
  (select count(*) from checkout_payment where tenant_id = c.tenant_id and checkout_id = c.id) as payments,
  ${shownPayment} as transaction_id, ${amountToReturn} as amount_to_return, ${isPaid} as is_paid,
  case when ${isPaid} then coalesce(${ofPayment('t.updated_at')}, ${ofInvoice('i.paid_at')}) end as paid_at,
  ${isProcessing} as is_processing, ${isPayable} as is_payable`;

export const nextCheckoutId = statement<{ id: number }>('checkouts.next_id', `select next_id('checkout_id_seq') as id`);

/**
 * Values: tenant, id, mode, hash of the token, sealed token, invoice, amount, currency, channels, customer,
 * description, metadata as JSON, return address, user, expiry (ms), now (ms), whether it offers payment methods, how
 * its payments are captured.
 */
export const insertCheckout = statement(
  'checkouts.insert',
  `insert into checkout (tenant_id, id, livemode, token_hash, token_sealed, invoice_id, amount, currency, channel_ids,
                         customer_id, description, metadata, return_url, user_id, expires_at, created_at, updated_at,
                         offers_methods, capture_method)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9::bigint[], $10, $11, $12::json, $13, $14,
           to_timestamp($15::float8 / 1000), to_timestamp($16::float8 / 1000), to_timestamp($16::float8 / 1000), $17,
           $18)`,
);

/** Values: visible tenants, id. */
export const findCheckout = statement<CheckoutRow>(
  'checkouts.find',
  `select ${checkoutColumns}
     from checkout c
    where c.tenant_id = any ($1::bigint[]) and c.id = $2`,
);

/** A checkout with the facts about the seller and the newest payment that its page shows. */
export interface CheckoutOnPage extends CheckoutRow {
  seller_name: string;
  seller_address: Record<string, string> | null;
  seller_tax_id: string | null;
  brand_color: string | null;
  has_logo: boolean;
  /** false: the tenant is disabled. */
  is_tenant_active: boolean;
  payment_status: string | null;
  payment_channel_id: number | null;
  payment_amount: number | null;
  /** Whether the newest payment is authorized, and waits for its capture. */
  is_authorized: boolean | null;
  failure_code: string | null;
  next_action: { url?: string | null } | null;
  /** Null: the newest payment's channel has no provider, and the seller settles it. */
  provider: string | null;
  payment_created_at: string | null;
}

/** Values: hash of the token. */
export const findByToken = statement<CheckoutOnPage>(
  'checkouts.find_by_token',
  `select ${checkoutColumns}, tenant.name as seller_name, s.address as seller_address, s.tax_id as seller_tax_id,
          s.brand_color, s.logo is not null as has_logo,
          tenant.state as is_tenant_active, t.status as payment_status, t.channel_id as payment_channel_id,
              t.amount as payment_amount,
          t.status = 'PROCESSING' and t.amount_capturable is not null as is_authorized, t.failure_code, t.next_action,
          t.provider, t.created_at as payment_created_at
     from checkout c
     join tenant on tenant.id = c.tenant_id
     left join seller s on s.tenant_id = c.tenant_id
     left join transaction t on t.tenant_id = c.tenant_id and t.id = ${shownPayment}
    where c.token_hash = $1`,
);

/**
 * Locks a checkout for the rest of the transaction. Another statement must read its status afterwards: one that waits
 * for the lock sees the payments from before it waited. Values: hash of the token.
 */
export const lockByToken = statement<{ id: number }>(
  'checkouts.lock_by_token',
  'select id from checkout where token_hash = $1 for update',
);

/** As `lockByToken`. Values: tenant, id. */
export const lockCheckout = statement<{ id: number }>(
  'checkouts.lock',
  'select id from checkout where tenant_id = $1 and id = $2 for update',
);

/** Values: tenant, id, now (ms). */
export const closeCheckout = statement(
  'checkouts.close',
  `update checkout set closed_at = to_timestamp($3::float8 / 1000), updated_at = to_timestamp($3::float8 / 1000)
    where tenant_id = $1 and id = $2 and closed_at is null`,
);

/** Values: tenant, checkout, number, payment, hash of the return token, now (ms). */
export const insertCheckoutPayment = statement(
  'checkouts.insert_payment',
  `insert into checkout_payment (tenant_id, checkout_id, number, transaction_id, return_hash, created_at)
   values ($1, $2, $3, $4, $5, to_timestamp($6::float8 / 1000))`,
);

/** The checkout to which a payer returns. Values: hash of the return token, the earliest time of the payment (ms). */
export const findByReturn = statement<{ tenant_id: number; id: number; token_sealed: Buffer }>(
  'checkouts.find_by_return',
  `select c.tenant_id, c.id, c.token_sealed
     from checkout_payment p
     join checkout c on c.tenant_id = p.tenant_id and c.id = p.checkout_id
    where p.return_hash = $1 and p.created_at >= to_timestamp($2::float8 / 1000)`,
);

/** The newest checkout of an invoice that stays open until a time. Values: tenant, invoice, the time (ms). */
export const findOpenOfInvoice = statement<Pick<CheckoutRow, 'id' | 'token_sealed' | 'channel_ids' | 'offers_methods'>>(
  'checkouts.find_open_of_invoice',
  `select id, token_sealed, channel_ids, offers_methods from checkout
    where tenant_id = $1 and invoice_id = $2 and closed_at is null and expires_at > to_timestamp($3::float8 / 1000)
    order by id desc limit 1`,
);

/** Deletes checkouts without a payment that expired before a time. Values: the time (ms), limit. */
export const sweepCheckouts = statement<{ id: number }>(
  'checkouts.sweep',
  `delete from checkout
    where (tenant_id, id) in (
      select tenant_id, id from checkout c
       where expires_at < to_timestamp($1::float8 / 1000)
         and not exists (select from checkout_payment p where p.tenant_id = c.tenant_id and p.checkout_id = c.id)
       order by expires_at limit $2)
   returning id`,
);
