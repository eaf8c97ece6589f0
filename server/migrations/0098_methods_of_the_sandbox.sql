-- The sandbox keeps payment methods: what a setup, or a charge that saves, has kept is in its row.
alter table sandbox_operation
  alter column amount drop not null,
  alter column currency drop not null,
  drop constraint sandbox_operation_kind_check,
  add constraint sandbox_operation_kind_check check (kind in ('CHARGE', 'REFUND', 'CANCEL', 'SETUP')) not valid,
  add constraint sandbox_operation_amount_of_money check (kind = 'SETUP' or (amount is not null and currency is not null))
    not valid,
  -- The customer that it keeps the method for; null: it keeps none.
  add column customer    text,
  add column method_type text,
  add column last4       text,
  -- From when it keeps the method.
  add column kept_at     timestamptz,
  -- When the method was detached.
  add column detached_at timestamptz,
  -- The first charge with the method.
  add column used_by     text;
