-- Payments that are authorised first and captured later. Nodes of the previous version would capture them at once.

-- One request to capture some of an authorised amount.
create table capture (
  tenant_id          bigint      not null,
  id                 uuid        not null,
  transaction_id     uuid        not null,
  amount             bigint      not null check (amount between 1 and 9007199254740991),
  -- Whether nothing is captured after it.
  final              boolean     not null,
  status             text        not null check (status in ('PENDING', 'PROCESSING', 'SUCCESS', 'FAILED')),
  user_id            bigint      not null,
  failure_code       text,
  provider_reference text,
  created_at         timestamptz not null,
  updated_at         timestamptz not null,
  primary key (tenant_id, id),
  check (status = 'FAILED' or failure_code is null)
);
create index capture_by_transaction on capture (tenant_id, transaction_id, id);
-- One at a time, so that the provider's captured total decides an answer that was lost.
create unique index capture_under_way on capture (tenant_id, transaction_id) where status in ('PENDING', 'PROCESSING');

-- All are null for a payment that is captured automatically: its status and amount say the same.
alter table transaction
  add column capture_method    text check (capture_method = 'MANUAL'),
  -- From the authorisation on. What is neither captured nor capturable is reserved by a capture or a release.
  add column amount_capturable bigint,
  add column amount_captured   bigint,
  add column capture_before    timestamptz,
  drop constraint transaction_amounts_and_status,
  add constraint transaction_amounts_and_status check (
    amount >= 1 and amount <= 9007199254740991
    and amount_refunded >= 0 and amount_refunded <= amount_refund_held
    and amount_refund_held <= coalesce(amount_captured, amount)
    and (amount_capturable is null
         or (amount_capturable >= 0 and amount_captured >= 0 and amount_capturable + amount_captured <= amount))
    and status = any ('{PENDING,PROCESSING,SUCCESS,FAILED,REFUNDED,CANCELLED}')
  ) not valid;

alter table provider_operation
  drop constraint provider_operation_kind_check,
  add constraint provider_operation_kind_check check (kind in ('CHARGE', 'REFUND', 'CANCEL', 'CAPTURE', 'RELEASE')) not valid,
  -- The capture that it requests, or after which it releases the rest.
  add column capture_id    uuid,
  add column is_final      boolean,
  -- Of a charge: when the provider authorised it, and when its end was announced.
  add column authorized_at timestamptz,
  add column expiring_at   timestamptz,
  -- Why it is cancelled without anybody having asked for that; null with given_up_at: the payer did not finish in time.
  add column given_up_code text;

-- Null: what the channel's provider can.
alter table channel add column capture text check (capture in ('NONE', 'SINGLE', 'MULTIPLE'));

-- AUTHORIZED: the amount is reserved at the payer's bank, until it is captured, cancelled or expires_at.
alter table sandbox_operation
  drop constraint sandbox_operation_kind_check,
  add constraint sandbox_operation_kind_check
    check (kind in ('CHARGE', 'REFUND', 'CANCEL', 'SETUP', 'CAPTURE', 'RELEASE')) not valid,
  drop constraint sandbox_operation_state_check,
  add constraint sandbox_operation_state_check
    check (state in ('UNTAKEN', 'PENDING', 'UNDECIDED', 'AUTHORIZED', 'SUCCEEDED', 'FAILED', 'CANCELLED')) not valid,
  -- Of a charge that is captured by further calls; null: it is captured with its success.
  add column captured   bigint check (captured between 0 and amount),
  -- Of a capture: whether nothing is captured after it.
  add column is_final   boolean,
  add column expires_at timestamptz;
