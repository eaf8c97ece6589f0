import { statement } from '../../platform/postgres/statement.ts';
import type { WrittenCharge } from './sql.ts';

export interface ChargeKey {
  tenant_id: number;
  invoice_id: number;
  subscription_id: number;
}

/**
 * Charges to be tried now, the longest due first. They are not locked here: whoever tries them locks their invoices first, as
 * whoever settles them does. Values: clock, now in ms, how many.
 */
export const dueCharges = statement<ChargeKey>(
  'subscriptions.due_charges',
  `select tenant_id, invoice_id, subscription_id from subscription_charge
    where clock_id = $1 and due_at <= to_timestamp($2::float8 / 1000)
    order by due_at limit $3`,
);

/** Tried: what becomes of it will be told. Values: tenants and invoices, an array each, now in ms. */
export const chargesTried = statement(
  'subscriptions.charges_tried',
  `update subscription_charge c set due_at = null
     from unnest($1::bigint[], $2::bigint[]) as tried (tenant_id, invoice_id)
    where c.tenant_id = tried.tenant_id and c.invoice_id = tried.invoice_id
      and c.due_at <= to_timestamp($3::float8 / 1000)`,
);

/** Values: tenant, invoice, until when in ms. */
export const postponeCharge = statement(
  'subscriptions.postpone_charge',
  `update subscription_charge set due_at = to_timestamp($3::float8 / 1000)
    where tenant_id = $1 and invoice_id = $2 and due_at is not null`,
);

/** All that is not settled of these subscriptions, whose locks are held. Values: tenants and subscriptions, an array each. */
export const openCharges = statement<WrittenCharge>(
  'subscriptions.open_charges',
  `select c.tenant_id, c.invoice_id, c.subscription_id, c.clock_id, c.state, c.failures, c.due_at
     from unnest($1::bigint[], $2::bigint[]) as wanted (tenant_id, id)
     join subscription_charge c
       on c.tenant_id = wanted.tenant_id and c.subscription_id = wanted.id and c.state <> 'SETTLED'
    order by c.tenant_id, c.subscription_id, c.invoice_id`,
);

/** Which subscriptions raised these invoices. Values: tenants and invoices, an array each. */
export const chargesOf = statement<ChargeKey>(
  'subscriptions.charges_of',
  `select c.tenant_id, c.invoice_id, c.subscription_id
     from unnest($1::bigint[], $2::bigint[]) as wanted (tenant_id, invoice_id)
     join subscription_charge c on c.tenant_id = wanted.tenant_id and c.invoice_id = wanted.invoice_id`,
);
