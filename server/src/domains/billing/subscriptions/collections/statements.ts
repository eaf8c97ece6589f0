import { statement } from '../../../../platform/postgres/statement.ts';
import { isBeingSetUp } from '../../invoices/statements.ts';
import { type CollectionRow, subscriptionsDue } from '../renewal/write-statements.ts';

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

/** A collection with the method of its last failed attempt, and what that failure allows. */
export type AttemptedCollection = Pick<
  CollectionRow,
  'tenant_id' | 'invoice_id' | 'subscription_id' | 'state' | 'method_id' | 'retry' | 'announced_method_id'
>;

/**
 * Marks collections of locked subscriptions as attempted: the outcomes of their payments decide when they are due
 * again. Returns those that were still due. Values: arrays of tenants and invoices, now (ms).
 */
export const markCollectionsAttempted = statement<AttemptedCollection>(
  'subscriptions.mark_collections_tried',
  `update invoice_collection c set due_at = null
     from unnest($1::bigint[], $2::bigint[]) as tried (tenant_id, invoice_id)
    where c.tenant_id = tried.tenant_id and c.invoice_id = tried.invoice_id
      and c.due_at <= to_timestamp($3::float8 / 1000)
   returning c.tenant_id, c.invoice_id, c.subscription_id, c.state, c.method_id, c.retry, c.announced_method_id`,
);

/**
 * The invoices among these whose customers have a method that is being set up and may become the default. Values:
 * arrays of tenants and invoices.
 */
export const findAwaitingSetups = statement<{ tenant_id: number; invoice_id: number }>(
  'subscriptions.find_awaiting_setups',
  `select i.tenant_id, i.id as invoice_id
     from unnest($1::bigint[], $2::bigint[]) as wanted (tenant_id, id)
     join invoice i on i.tenant_id = wanted.tenant_id and i.id = wanted.id
    where exists (select from payment_method m
                   where m.tenant_id = i.tenant_id and m.customer_id = i.customer_id and ${isBeingSetUp})`,
);

/**
 * The invoices among these whose debit is announced by a mail that is not sent yet. Values: arrays of tenants and
 * invoices.
 */
export const findUnsentAnnouncements = statement<{ invoice_id: number }>(
  'subscriptions.find_unsent_announcements',
  `select wanted.invoice_id
     from unnest($1::bigint[], $2::bigint[]) as wanted (tenant_id, invoice_id)
    where exists (select from invoice_mail m
                   where m.tenant_id = wanted.tenant_id and m.invoice_id = wanted.invoice_id and m.kind = 'DEBIT'
                     and m.state = 'OPEN')`,
);

/** Values: tenant, invoice, new due time (ms). */
export const postponeCollection = statement(
  'subscriptions.postpone_collection',
  `update invoice_collection set due_at = to_timestamp($3::float8 / 1000)
    where tenant_id = $1 and invoice_id = $2 and due_at is not null`,
);

/** The schedule of a collection that was settled begins again. Values: tenant, invoice. */
export const reopenCollection = statement(
  'subscriptions.reopen_collection',
  `update invoice_collection
      set state = 'FAILED', failures = 0, due_at = null, scheduled_at = null, announced_method_id = null
    where tenant_id = $1 and invoice_id = $2 and state = 'SETTLED'`,
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
      select tenant_id, invoice_id, subscription_id, clock_id, state, failures, due_at, method_id, retry, scheduled_at,
             announced_method_id
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

/**
 * Locks requests to try the failed invoices of a customer, and skips those that another node has locked. Values: limit.
 */
export const lockRetries = statement<{ id: string; tenant_id: number; customer_id: number; is_new_default: boolean }>(
  'subscriptions.lock_retries',
  'select id, tenant_id, customer_id, is_new_default from collection_retry limit $1 for update skip locked',
);

/** Values: ids. */
export const deleteRetries = statement(
  'subscriptions.delete_retries',
  'delete from collection_retry where id = any ($1::uuid[])',
);

/** Whether there are any. */
export const hasRetries = statement<{ tenant_id: number }>(
  'subscriptions.has_retries',
  'select tenant_id from collection_retry limit 1',
);

/**
 * Has the invoices of a customer tried that wait for a method, and those that failed if there is a new default. Values:
 * tenant, customer, whether there is a new default.
 */
export const requestRetry = statement(
  'subscriptions.request_retry',
  'insert into collection_retry (tenant_id, customer_id, is_new_default) values ($1, $2, $3)',
  { wakes: [{ topic: subscriptionsDue }] },
);

const waits = `c.state = 'DUE' and c.due_at is null`;

/**
 * The subscriptions without a method of their own that have an invoice to try: with a new default, one that failed
 * while the subscription lives; and one whose first attempt waits for a method, or is about to. Values: arrays of
 * tenants, customers, and whether they have a new default.
 */
export const findSubscriptionsToRetry = statement<{
  tenant_id: number;
  subscription_id: number;
  is_new_default: boolean;
}>(
  'subscriptions.find_to_retry',
  `select s.tenant_id, s.id as subscription_id, bool_or(wanted.is_new_default) as is_new_default
     from unnest($1::bigint[], $2::bigint[], $3::boolean[]) as wanted (tenant_id, customer_id, is_new_default)
     join subscription s on s.tenant_id = wanted.tenant_id and s.customer_id = wanted.customer_id
    where s.method_id is null
      and exists (select from invoice_collection c
                   where c.tenant_id = s.tenant_id and c.subscription_id = s.id
                     and (c.state = 'DUE' or wanted.is_new_default and c.state = 'FAILED'
                                             and s.state not in ('CANCELLED', 'EXPIRED')))
    group by 1, 2`,
);

/**
 * Makes collections of locked subscriptions due at once: with a new default the failed ones, outside of their schedule;
 * and first attempts that wait for a method. One whose attempt is under way keeps it: it is found to be so when it is
 * due. Values: arrays of tenants, subscriptions, and whether they have a new default; now (ms).
 */
export const retryAtOnce = statement<{ invoice_id: number }>(
  'subscriptions.retry_at_once',
  `update invoice_collection c
      set scheduled_at = case when c.state = 'FAILED' then coalesce(c.scheduled_at, c.due_at) end,
          due_at = coalesce((select k.now_at from clock k where k.tenant_id = c.tenant_id and k.id = c.clock_id),
                            to_timestamp($4::float8 / 1000))
     from unnest($1::bigint[], $2::bigint[], $3::boolean[]) as wanted (tenant_id, id, is_new_default)
    where c.tenant_id = wanted.tenant_id and c.subscription_id = wanted.id
      and (${waits} or wanted.is_new_default and c.state = 'FAILED' and c.due_at is not null)
   returning c.invoice_id`,
  { wakes: [{ topic: subscriptionsDue }] },
);
