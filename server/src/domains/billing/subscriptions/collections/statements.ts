import { statement } from '../../../../platform/postgres/statement.ts';
import type { CollectionRow } from '../renewal/write-statements.ts';

export interface CollectionKey {
  tenant_id: number;
  invoice_id: number;
  subscription_id: number;
}

/**
 * Due collections, those with the earliest due time first. They are not locked here: collecting and settling both lock
 * the invoices first and then the subscriptions. Collections are written only under the lock of their subscription,
 * because two transactions that wrote collections of one subscription in different orders deadlocked. Values: clock,
 * now (ms), limit.
 */
export const findDueCollections = statement<CollectionKey>(
  'subscriptions.find_due_collections',
  `select tenant_id, invoice_id, subscription_id from invoice_collection
    where clock_id = $1 and due_at <= to_timestamp($2::float8 / 1000)
    order by due_at limit $3`,
);

/**
 * Marks collections of locked subscriptions as attempted: the outcomes of their payments decide when they are due
 * again. Returns those that were still due. Values: arrays of tenants and invoices, now (ms).
 */
export const markCollectionsAttempted = statement<{ invoice_id: number }>(
  'subscriptions.mark_collections_tried',
  `update invoice_collection c set due_at = null
     from unnest($1::bigint[], $2::bigint[]) as tried (tenant_id, invoice_id)
    where c.tenant_id = tried.tenant_id and c.invoice_id = tried.invoice_id
      and c.due_at <= to_timestamp($3::float8 / 1000)
   returning c.invoice_id`,
);

/** Values: tenant, invoice, new due time (ms). */
export const postponeCollection = statement(
  'subscriptions.postpone_collection',
  `update invoice_collection set due_at = to_timestamp($3::float8 / 1000)
    where tenant_id = $1 and invoice_id = $2 and due_at is not null`,
);

/**
 * The unsettled collections of locked subscriptions, unordered. Values: arrays of tenants and subscriptions.
 *
 * `offset 0` forces one lookup in the index of open collections for each subscription. With an order by invoice,
 * PostgreSQL read all collections of the tenant for each subscription, since sorting is disabled for workers.
 */
export const findOpenCollections = statement<CollectionRow>(
  'subscriptions.find_open_collections',
  `select c.*
     from unnest($1::bigint[], $2::bigint[]) as wanted (tenant_id, id)
    cross join lateral (
      select tenant_id, invoice_id, subscription_id, clock_id, state, failures, due_at
        from invoice_collection
       where tenant_id = wanted.tenant_id and subscription_id = wanted.id and state <> 'SETTLED'
      offset 0
    ) as c`,
);

/** The subscriptions that issued these invoices. Values: arrays of tenants and invoices. */
export const findCollectionsOfInvoices = statement<CollectionKey>(
  'subscriptions.find_collections_of_invoices',
  `select c.tenant_id, c.invoice_id, c.subscription_id
     from unnest($1::bigint[], $2::bigint[]) as wanted (tenant_id, invoice_id)
    cross join lateral (
      select tenant_id, invoice_id, subscription_id
        from invoice_collection where tenant_id = wanted.tenant_id and invoice_id = wanted.invoice_id limit 1
    ) as c`,
);
