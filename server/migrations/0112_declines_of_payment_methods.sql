-- Charges with a payment method that were declined, for as long as networks count them: they cap how often a card may be
-- tried again.
create table payment_method_decline (
  tenant_id      bigint      not null,
  method_id      uuid        not null,
  -- The charge.
  transaction_id uuid        not null,
  number         integer     not null,
  -- In the customer's time.
  declined_at    timestamptz not null,
  primary key (tenant_id, method_id, transaction_id, number)
);
create index payment_method_decline_by_time on payment_method_decline (declined_at);
