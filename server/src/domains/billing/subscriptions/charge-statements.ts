import { statement } from '../../../platform/postgres/statement.ts';
import type { ChargeRow } from './write-statements.ts';

export interface ChargeKey {
  tenant_id: number;
  invoice_id: number;
  subscription_id: number;
}

/**
 * Charges to be tried now, the longest due first. They are not locked here: whoever tries them locks their invoices first, then
 * their subscriptions, as whoever settles them does. Charges are written only under the lock of their subscription: two who
 * wrote those of one subscription in different orders waited for each other. Values: clock, now in ms, how many.
 */
export const findDueCharges = statement<ChargeKey>(
  'subscriptions.due_charges',
  `select tenant_id, invoice_id, subscription_id from subscription_charge
    where clock_id = $1 and due_at <= to_timestamp($2::float8 / 1000)
    order by due_at limit $3`,
);

/**
 * Tried: what becomes of it will be told. Those that are given back were due until now. The locks of their subscriptions are
 * held. Values: tenants and invoices, an array each, now in ms.
 */
export const markChargesTried = statement<{ invoice_id: number }>(
  'subscriptions.charges_tried',
  `update subscription_charge c set due_at = null
     from unnest($1::bigint[], $2::bigint[]) as tried (tenant_id, invoice_id)
    where c.tenant_id = tried.tenant_id and c.invoice_id = tried.invoice_id
      and c.due_at <= to_timestamp($3::float8 / 1000)
   returning c.invoice_id`,
);

/** Values: tenant, invoice, until when in ms. */
export const postponeCharge = statement(
  'subscriptions.postpone_charge',
  `update subscription_charge set due_at = to_timestamp($3::float8 / 1000)
    where tenant_id = $1 and invoice_id = $2 and due_at is not null`,
);

/**
 * All that is not settled of these subscriptions, whose locks are held, in no order. Values: tenants and subscriptions, an
 * array each.
 *
 * `offset 0` keeps it a look into the index of open charges for each. An order by invoices was had by reading, for each
 * subscription, all charges of its tenant, since workers are told not to sort.
 */
export const findOpenCharges = statement<ChargeRow>(
  'subscriptions.open_charges',
  `select c.*
     from unnest($1::bigint[], $2::bigint[]) as wanted (tenant_id, id)
    cross join lateral (
      select tenant_id, invoice_id, subscription_id, clock_id, state, failures, due_at
        from subscription_charge
       where tenant_id = wanted.tenant_id and subscription_id = wanted.id and state <> 'SETTLED'
      offset 0
    ) as c`,
);

/** Which subscriptions raised these invoices. Values: tenants and invoices, an array each. */
export const findChargesOfInvoices = statement<ChargeKey>(
  'subscriptions.charges_of',
  `select c.tenant_id, c.invoice_id, c.subscription_id
     from unnest($1::bigint[], $2::bigint[]) as wanted (tenant_id, invoice_id)
    cross join lateral (
      select tenant_id, invoice_id, subscription_id
        from subscription_charge where tenant_id = wanted.tenant_id and invoice_id = wanted.invoice_id limit 1
    ) as c`,
);
