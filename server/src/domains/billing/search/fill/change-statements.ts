import type { EventType } from '../../../../core/event-types.ts';
import { statement } from '../../../../platform/postgres/statement.ts';
import type { SearchKind } from '../words.ts';

export interface EventRow {
  id: string;
  type: EventType;
  object_id: string;
}

/** Values: tenant, after this id, below this id, how many at most. */
export const readChanges = statement<EventRow>(
  'search.read_changes',
  `select id, type, object_id from event
    where tenant_id = $1 and id > $2::uuid and id < $3::uuid order by id limit $4`,
);

/** SQL of the kind and the id of the entry about the record that the event `seen` says was created. */
const entryKind = `case when seen.type = 'transaction.created' then 'payment' else split_part(seen.type, '.', 1) end`;
const entryId = `case when seen.type = 'transaction.created' then seen.id
                              else lpad(to_hex(split_part(seen.object_id, '_', 2)::bigint), 32, '0')::uuid end`;

/**
 * Looks again at events that were read a minute ago: those of records without an entry, because their transaction
 * committed later than events with higher ids were read; and the last event of all. Values: as `readChanges`.
 */
export const readUnentered = statement<EventRow>(
  'search.read_unentered',
  `with seen as materialized (
     select id, livemode, type, object_id, row_number() over () as number
       from (select id, livemode, type, object_id from event
              where tenant_id = $1 and id > $2::uuid and id < $3::uuid order by id limit $4) as ordered
   )
   select id, type, object_id from seen
    where number = (select count(*) from seen)
       or type in ('transaction.created', 'customer.created', 'invoice.created', 'subscription.created')
          and not exists (select from search_entry entry
                           where entry.tenant_id = $1 and entry.livemode = seen.livemode
                             and entry.kind = ${entryKind}
                             and entry.id = ${entryId})`,
);

export interface AuditedRow {
  seq: number;
  record_type: string;
  record_id: string | null;
}

/** Values: tenant, after this entry, how many at most. */
export const readAudited = statement<AuditedRow>(
  'search.read_audited',
  `select seq, record_type, record_id from audit_entry
    where tenant_id = $1 and seq > $2 order by seq limit $3`,
);

export interface KeyRow {
  kind: SearchKind;
  id: string;
}

/** Values: tenant, how many at most. */
export const takeDue = statement<KeyRow>(
  'search.take_due',
  `delete from search_due
    where ctid = any (array(select ctid from search_due where tenant_id = $1 limit $2 for update skip locked))
   returning kind, id`,
);

/** Of a customer of a marketplace with more payments, the newest are found by its new name. */
const renewedOfCustomer = 10_000;
const numbered = "lpad(to_hex(id), 32, '0')::uuid";

/** Makes the entries of customers' records due. Values: tenant, customers. */
export const insertDue = statement(
  'search.insert_due',
  `insert into search_due (tenant_id, kind, id)
   select $1, of_customer.kind, of_customer.id
     from unnest($2::bigint[]) as renamed (id)
    cross join lateral (
      (select 'payment' as kind, id from transaction
        where tenant_id = $1 and customer_id = renamed.id order by id desc limit ${renewedOfCustomer})
      union all
      (select 'invoice', ${numbered} from invoice
        where tenant_id = $1 and customer_id = renamed.id order by id desc limit ${renewedOfCustomer})
      union all
      (select 'subscription', ${numbered} from subscription
        where tenant_id = $1 and customer_id = renamed.id order by id desc limit ${renewedOfCustomer})
    ) as of_customer
   on conflict do nothing`,
);

/** The customers of payment methods. Values: tenant, methods. */
export const customersOfMethods = statement<{ id: number }>(
  'search.customers_of_methods',
  `select customer_id as id from payment_method where tenant_id = $1 and id = any ($2::uuid[])`,
);

const newestBelow = (kind: SearchKind, table: string) =>
  statement<{ id: number }>(
    `search.refill_${kind}s`,
    `select id from ${table} where tenant_id = $1 and ($2::bigint is null or id < $2) order by id desc limit $3`,
  );

/** Records below an id, newest first. Values: tenant, id (null: from the newest), how many at most. */
export const refillStatements = {
  customer: newestBelow('customer', 'customer'),
  invoice: newestBelow('invoice', 'invoice'),
  subscription: newestBelow('subscription', 'subscription'),
};

/** The same of payments, whose ids are UUIDs. */
export const refillPayments = statement<{ id: string }>(
  'search.refill_payments',
  `select id from transaction where tenant_id = $1 and ($2::uuid is null or id < $2) order by id desc limit $3`,
);
