-- Money that moves: what providers are asked, refunds, notes for the timeline, and the ledger.

alter table channel
  add column provider text,
  add column fallback_channel_ids bigint[] not null default '{}';

-- provider: that of the channel when the payment was made. amount_refund_held: of all refunds that have not failed or been called off; amount_refunded: of those that succeeded.
alter table transaction
  add column amount_refund_held bigint not null default 0,
  add column provider text,
  add column payment_method text,
  add column return_url text,
  add column next_action json,
  add constraint transaction_refunds_within_amount
    check (amount_refunded <= amount_refund_held and amount_refund_held <= amount);

-- One thing asked of a provider for a payment: written before the first call, so that a crash leaves a trace to look up.
-- (transaction_id, number) is the provider's idempotency key: it stays while the outcome is unknown, and a new try after
-- a definite failure is a new row.
--   READY    not called yet            CALLING  called, or about to be: a dead lease means unknown
--   UNKNOWN  it may have happened      WAITING  under way at the provider, or the payer has to do something
-- The lease stands beside due_at, in columns without an index: most claims are HOT updates (as in delivery).
create table provider_operation (
  tenant_id          bigint      not null,
  transaction_id     uuid        not null,
  number             smallint    not null,
  kind               text        not null check (kind in ('CHARGE', 'REFUND', 'CANCEL')),
  refund_id          uuid,
  channel_id         bigint      not null,
  provider           text        not null,
  amount             bigint      not null check (amount between 1 and 9007199254740991),
  state              text        not null default 'READY'
                     check (state in ('READY', 'CALLING', 'UNKNOWN', 'WAITING', 'SUCCEEDED', 'FAILED', 'CANCELLED')),
  calls              smallint    not null default 0,
  look_ups           smallint    not null default 0,
  due_at             timestamptz not null,
  lease              uuid,
  leased_until       timestamptz,
  provider_reference text,
  failure_code       text,
  provider_code      text,
  failure_message    text,
  void               boolean     not null default false check (void = (state in ('FAILED', 'CANCELLED'))),
  settled_by         text check (settled_by in ('answer', 'look_up', 'callback', 'nothing')),
  created_at         timestamptz not null,
  called_at          timestamptz,
  finished_at        timestamptz,
  primary key (tenant_id, transaction_id, number),
  check ((finished_at is not null) = (state in ('SUCCEEDED', 'FAILED', 'CANCELLED'))),
  check ((kind = 'REFUND') = (refund_id is not null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01);
create index provider_operation_due on provider_operation (channel_id, due_at) where finished_at is null;
create index provider_operation_by_reference on provider_operation (channel_id, provider_reference)
  where provider_reference is not null;
-- One charge under way for a payment at any moment: a second one cannot even be written.
create unique index provider_operation_one_charge on provider_operation (tenant_id, transaction_id)
  where kind = 'CHARGE' and not void;

-- What the rows of a payment do not tell by themselves, for its timeline: who moved it, what was unknown, what contradicted.
create table transaction_note (
  tenant_id      bigint      not null,
  transaction_id uuid        not null,
  id             uuid        not null,
  at             timestamptz not null,
  kind           text        not null,
  operation      smallint,
  detail         json        not null,
  primary key (tenant_id, transaction_id, id)
);

-- A refund's id is a UUIDv7, as a payment's: order by id is order by creation. channel_id is the payment's own. The key
-- carries what the list is narrowed by, so that counting and skipping do without the rows.
create table refund (
  tenant_id          bigint      not null,
  id                 uuid        not null,
  transaction_id     uuid        not null,
  channel_id         bigint      not null,
  amount             bigint      not null check (amount between 1 and 9007199254740991),
  currency           text        not null,
  status             text        not null check (status in ('PENDING', 'PROCESSING', 'SUCCESS', 'FAILED', 'CANCELLED')),
  reason             text,
  metadata           json,
  user_id            bigint      not null,
  failure_code       text,
  failure_message    text,
  provider_reference text,
  version            integer     not null default 1,
  created_at         timestamptz not null,
  updated_at         timestamptz not null,
  primary key (tenant_id, id) include (channel_id, status)
);
create index refund_by_transaction on refund (tenant_id, transaction_id, id);

-- Double entry. A row is one transfer: what it debits it credits, so that a posting which does not balance cannot be
-- written at all. source_id is the payment or the refund that it books, once: booking twice violates the key.
create table ledger_transfer (
  tenant_id      bigint      not null,
  source_id      uuid        not null,
  leg            smallint    not null,
  transaction_id uuid        not null,
  channel_id     bigint      not null,
  debit          text        not null,
  credit         text        not null,
  currency       text        not null,
  amount         bigint      not null check (amount between 1 and 9007199254740991),
  created_at     timestamptz not null,
  primary key (tenant_id, source_id, leg),
  check (debit <> credit),
  check (debit in ('PROVIDER_RECEIVABLE', 'MERCHANT_PAYABLE', 'REFUNDS', 'PROVIDER_FEES')),
  check (credit in ('PROVIDER_RECEIVABLE', 'MERCHANT_PAYABLE', 'REFUNDS', 'PROVIDER_FEES'))
);
-- Refunds of a payment; its charge is found by the key.
create index ledger_transfer_of_refunds on ledger_transfer (tenant_id, transaction_id) where source_id <> transaction_id;
-- Entries are listed in the order they were booked in, which is not that of payments. Grows at one end of each tenant.
create index ledger_transfer_by_time on ledger_transfer (tenant_id, created_at);

-- Append-only. Not on the path of a payment: it runs only when someone tries.
create function ledger_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'The ledger is append-only: book a transfer the other way instead.';
end $$;
create trigger ledger_transfer_append_only before update or delete or truncate on ledger_transfer
  for each statement execute function ledger_is_append_only();

-- What has moved from account to account, by UTC day; appended changes are folded in, as with transaction_total.
create table ledger_total (
  tenant_id bigint  not null,
  debit     text    not null,
  credit    text    not null,
  currency  text    not null,
  day       date    not null,
  count     bigint  not null,
  amount    numeric not null,
  primary key (tenant_id, currency, debit, credit, day)
);
create table ledger_total_delta (
  tenant_id bigint  not null,
  debit     text    not null,
  credit    text    not null,
  currency  text    not null,
  day       date    not null,
  count     bigint  not null,
  amount    numeric not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create index ledger_total_delta_by_tenant on ledger_total_delta (tenant_id);

-- Payments that have succeeded before there was a ledger, booked when their event says that they did.
insert into ledger_transfer (tenant_id, source_id, leg, transaction_id, channel_id, debit, credit, currency, amount,
                             created_at)
select t.tenant_id, t.id, 1, t.id, t.channel_id, 'PROVIDER_RECEIVABLE', 'MERCHANT_PAYABLE', t.currency, t.amount,
       coalesce(e.created_at, t.updated_at)
  from transaction t
  left join event e on e.tenant_id = t.tenant_id and e.type = 'transaction.succeeded'
                   and e.object_id = 'txn_' || replace(t.id::text, '-', '')
 where t.status = 'SUCCESS';
insert into ledger_total (tenant_id, debit, credit, currency, day, count, amount)
select tenant_id, debit, credit, currency, (created_at at time zone 'UTC')::date, count(*), sum(amount)
  from ledger_transfer
 group by 1, 2, 3, 4, 5;

-- What a provider's message says, kept before it is answered: what a crash interrupts is settled afterwards. Of the message
-- itself, which may tell of the payer, nothing else is kept; the provider shows it under event_id. id is also its note's.
-- notice: null where it is of something that Florin does not follow. tries: how often nothing of ours was found for it.
create table provider_callback (
  channel_id   bigint      not null,
  event_id     text        not null,
  id           uuid        not null,
  received_at  timestamptz not null,
  notice       json,
  state        text        not null check (state in ('RECEIVED', 'SETTLED', 'IGNORED')),
  tries        smallint    not null default 0,
  due_at       timestamptz not null,
  lease        uuid,
  leased_until timestamptz,
  settled_at   timestamptz,
  primary key (channel_id, event_id),
  check ((settled_at is null) = (state = 'RECEIVED')),
  check (state <> 'RECEIVED' or notice is not null)
);
create index provider_callback_due on provider_callback (due_at) where state = 'RECEIVED';
create index provider_callback_by_age on provider_callback (settled_at) where state <> 'RECEIVED';
