-- What customers can be charged with again: at one provider account (channel), the provider's customer with the provider's
-- method or mandate.
create table payment_method (
  tenant_id         bigint      not null references tenant,
  id                uuid        not null,
  livemode          boolean     not null,
  customer_id       bigint      not null,
  channel_id        bigint      not null,
  -- The channel's provider when the method was set up.
  provider          text        not null,
  type              text        not null check (type in ('card', 'sepa_debit', 'bacs_debit', 'ach_debit', 'becs_debit',
                                                         'pad_debit', 'paypal', 'other')),
  provider_type     text,
  brand             text,
  last4             text,
  expiry_month      integer     check (expiry_month between 1 and 12),
  expiry_year       integer,
  bank_name         text,
  country           text,
  fingerprint       text,
  mandate_reference text,
  mandate_url       text,
  agreement         text        not null check (agreement in ('SUBSCRIPTION', 'UNSCHEDULED')),
  status            text        not null check (status in ('PENDING', 'ACTIVE', 'FAILED', 'EXPIRED', 'REVOKED', 'DETACHED')),
  is_default        boolean     not null default false check (not is_default or status in ('ACTIVE', 'EXPIRED')),
  -- Whether it becomes the default once it is ACTIVE; null: where the customer has none.
  wants_default     boolean,
  next_action       json,
  failure_code      text,
  metadata          json,
  -- Who agreed, from where and when.
  consent           json,
  -- The provider's ids of its customer and of the method, and the network's id of the first payment, sealed.
  reference_sealed  bytea,
  -- Keyed digest of the provider's id of the method.
  reference_digest  bytea,
  -- Until the setup has ended: the token or the bank account that it is made from, sealed.
  source_sealed     bytea       check (source_sealed is null or status in ('PENDING', 'DETACHED')),
  return_url        text,
  -- The month (YYYY-MM) of which payment_method.expiring was sent.
  expiring_told     text,
  -- When the sweep of expiring cards has to do something next; null: never.
  expiry_due_at     timestamptz,
  version           integer     not null default 1,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  primary key (tenant_id, id),
  check (status not in ('ACTIVE', 'EXPIRED', 'REVOKED') or reference_sealed is not null)
);
create unique index payment_method_default on payment_method (tenant_id, customer_id) where is_default;
create index payment_method_of_customer on payment_method (tenant_id, customer_id, id);
create index payment_method_by_reference on payment_method (channel_id, reference_digest)
  where reference_digest is not null;
create index payment_method_expiry_due on payment_method (expiry_due_at) where expiry_due_at is not null;

-- The record that a customer has at a provider: one for each channel.
create table provider_customer (
  tenant_id        bigint      not null,
  customer_id      bigint      not null,
  channel_id       bigint      not null,
  -- The key under which the provider creates it.
  id               uuid        not null,
  -- The provider's id, once known; sealed, and its keyed digest.
  reference_sealed bytea,
  reference_digest bytea,
  created_at       timestamptz not null,
  primary key (tenant_id, customer_id, channel_id),
  check ((reference_sealed is null) = (reference_digest is null))
);
create index provider_customer_by_reference on provider_customer (channel_id, reference_digest)
  where reference_digest is not null;

-- Setups and detachments to be made at providers, recorded before a provider is called.
create table payment_method_operation (
  tenant_id          bigint      not null,
  method_id          uuid        not null,
  number             integer     not null,
  kind               text        not null check (kind in ('SETUP', 'DETACH')),
  channel_id         bigint      not null,
  provider           text        not null,
  state              text        not null default 'READY'
                     check (state in ('READY', 'CALLING', 'UNKNOWN', 'WAITING', 'SUCCEEDED', 'FAILED', 'CANCELLED')),
  calls              integer     not null default 0,
  look_ups           integer     not null default 0,
  due_at             timestamptz not null,
  lease              uuid,
  leased_until       timestamptz,
  -- The provider's id of the setup.
  provider_reference text,
  failure_code       text,
  provider_code      text,
  failure_message    text,
  created_at         timestamptz not null,
  called_at          timestamptz,
  finished_at        timestamptz,
  primary key (tenant_id, method_id, number),
  check ((finished_at is not null) = (state in ('SUCCEEDED', 'FAILED', 'CANCELLED')))
);
create index payment_method_operation_due on payment_method_operation (due_at) where finished_at is null;
create index payment_method_operation_by_reference on payment_method_operation (channel_id, provider_reference)
  where provider_reference is not null;

-- MERCHANT: the payer is not there. `save_method`: what the payer pays with is kept.
alter table transaction
  add column method_id   uuid,
  add column initiator   text not null default 'PAYER',
  add column save_method json;

-- The method that a charge through a fallback channel uses.
alter table provider_operation add column method_id uuid;
