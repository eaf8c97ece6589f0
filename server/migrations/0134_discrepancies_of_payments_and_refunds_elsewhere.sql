-- Discrepancies about more than operations, and refunds that were made elsewhere.
alter table discrepancy
  add column id         uuid not null default gen_random_uuid(),
  -- OVERDRAWN: more of a payment was given back than it took.
  add column kind       text not null default 'OPERATION',
  -- A dispute in another currency than its payment's.
  add column dispute_id uuid,
  drop constraint discrepancy_pkey,
  alter column number drop not null,
  -- Null: nothing is asked of a provider.
  alter column due_at drop not null,
  add constraint discrepancy_kind_check check (kind in ('OPERATION', 'OVERDRAWN')) not valid,
  add constraint discrepancy_about_check check ((number is not null) <> (kind = 'OVERDRAWN' or dispute_id is not null))
    not valid;
create unique index discrepancy_of_operation on discrepancy (tenant_id, transaction_id, number);
create unique index discrepancy_of_dispute on discrepancy (tenant_id, dispute_id) where dispute_id is not null;
-- One of a payment is open at a time.
create unique index discrepancy_overdrawn on discrepancy (tenant_id, transaction_id)
  where kind = 'OVERDRAWN' and state = 'OPEN';
alter table discrepancy add constraint discrepancy_pkey primary key (tenant_id, id);

alter table refund
  -- Null: FLORIN.
  add column origin text,
  -- Null: nobody asked for it here.
  alter column user_id drop not null,
  add constraint refund_origin_check check (origin = 'PROVIDER') not valid;
create unique index refund_elsewhere on refund (tenant_id, transaction_id, provider_reference)
  where origin = 'PROVIDER';
