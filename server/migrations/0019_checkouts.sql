-- Payment pages. A checkout is paid once: either an amount of its own, or what is left to pay of an invoice.
create sequence checkout_id_seq;
create table checkout (
  tenant_id    bigint      not null references tenant,
  id           bigint      not null default next_id('checkout_id_seq'),
  livemode     boolean     not null,
  -- The address of the page: found by the hash of its token, shown again to the tenant from the sealed token.
  token_hash   bytea       not null unique,
  token_sealed bytea       not null,
  invoice_id   bigint,
  -- Null: what is left to pay of the invoice.
  amount       bigint      check (amount between 1 and 9007199254740991),
  currency     text        not null,
  -- Empty: the page shows the invoice, and nothing can be paid.
  channel_ids  bigint[]    not null,
  customer_id  bigint,
  description  text,
  metadata     json,
  return_url   text,
  -- In whose name payments are created.
  user_id      bigint      not null references app_user,
  -- When it was closed before it expired.
  closed_at    timestamptz,
  expires_at   timestamptz not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  primary key (tenant_id, id),
  check ((invoice_id is null) = (amount is not null))
);
alter sequence checkout_id_seq owned by checkout.id;
create index checkout_by_invoice on checkout (tenant_id, invoice_id, id) where invoice_id is not null;
create index checkout_by_customer on checkout (tenant_id, customer_id, id) where customer_id is not null;
create index checkout_by_expiry on checkout (expires_at);

-- The payments that payers made on a page, in their order. A payment follows another one only when that has failed.
create table checkout_payment (
  tenant_id      bigint      not null,
  checkout_id    bigint      not null,
  number         integer     not null check (number >= 1),
  transaction_id uuid        not null,
  -- The address to which the provider sends the payer back, for two hours.
  return_hash    bytea       not null unique,
  created_at     timestamptz not null,
  primary key (tenant_id, checkout_id, number)
);
create unique index checkout_payment_by_transaction on checkout_payment (tenant_id, transaction_id);

-- Links to pages on which customers see their invoices and cancel subscriptions.
create table customer_portal (
  token_hash  bytea       primary key,
  tenant_id   bigint      not null references tenant,
  customer_id bigint      not null,
  user_id     bigint      not null references app_user,
  return_url  text,
  created_at  timestamptz not null,
  expires_at  timestamptz not null
);
create index customer_portal_by_expiry on customer_portal (expires_at);
