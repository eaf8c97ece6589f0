-- Another payment of a checkout for an amount can begin while one waits for its payer: then all of them are contested. Each is
-- judged once when it has ended: the first that succeeded pays the checkout, and `excess` is what another one took.
alter table checkout_payment
  add column is_contested boolean not null default false,
  add column judged_at timestamptz,
  add column excess bigint not null default 0 check (excess >= 0);

create index checkout_payment_to_judge on checkout_payment (tenant_id, checkout_id) where is_contested and judged_at is null;
