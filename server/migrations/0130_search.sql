-- What a search finds of payments, customers, invoices and subscriptions. A worker fills it from the events and the audit
-- log, so that no statement that creates or changes a record writes here.
create table search_entry (
  tenant_id bigint  not null,
  livemode  boolean not null,
  kind      text    not null check (kind in ('payment', 'customer', 'invoice', 'subscription')),
  -- The id of the payment; of other records their number as the last hexadecimal digits.
  id        uuid    not null,
  -- The normalized words that a search compares.
  words     text    not null,
  -- Hashes of tenant, mode, kind and each pair of letters, or each word that is only found whole.
  tokens    integer[] not null,
  primary key (tenant_id, livemode, kind, id)
);
-- New tokens gather in a list of 512 KB, which a search reads whole, before they are sorted into the index.
create index search_entry_by_token on search_entry using gin (tokens) with (fastupdate = on, gin_pending_list_limit = 512);

-- How far the entries of each tenant reach.
create table search_progress (
  tenant_id        bigint primary key references tenant,
  -- The last event that was read, and the last one that was looked at again for records that became visible late.
  event_id         uuid   not null,
  checked_event_id uuid   not null,
  -- The last chained entry of the audit log that was read.
  audit_seq        bigint not null,
  -- Which records from before these events come next: of this kind, below this id. Null: none are left; no id: the newest.
  refill_kind      text   check (refill_kind in ('payment', 'customer', 'invoice', 'subscription')),
  refill_below     uuid
);

-- Records of customers whose name or address was changed: their entries have to be made again.
create table search_due (
  tenant_id bigint not null,
  kind      text   not null,
  id        uuid   not null,
  primary key (tenant_id, kind, id)
);
