-- Disputes: chargebacks, and money that comes back without one.
create table dispute (
  tenant_id          bigint      not null,
  id                 uuid        not null,
  transaction_id     uuid        not null,
  -- The channel that took the money, and its mode.
  channel_id         bigint      not null,
  livemode           boolean     not null,
  provider           text        not null,
  provider_reference text        not null check (length(provider_reference) <= 255),
  stage              text        not null check (stage in ('INQUIRY', 'CHARGEBACK', 'PRE_ARBITRATION', 'ARBITRATION')),
  status             text        not null
    check (status in ('OPEN', 'SUBMITTED', 'ACCEPTED', 'EXPIRED', 'WON', 'LOST', 'CLOSED')),
  amount             bigint      not null check (amount between 0 and 9007199254740991),
  currency           text        not null,
  -- What the provider charges for it in all, as far as it tells.
  fee                bigint      check (fee between 0 and 9007199254740991),
  fee_currency       text        check ((fee is null) = (fee_currency is null)),
  reason             text        not null,
  provider_reason    text,
  respond_by         timestamptz,
  submitted_at       timestamptz,
  closed_at          timestamptz,
  -- What the provider takes now.
  actions            json        not null,
  evidence_fields    json        not null,
  defense_reasons    json        not null,
  -- The draft: texts and ids of files, by name.
  evidence           json        not null,
  failure_code       text,
  -- What its movements in the payment's currency have withdrawn and not reinstated.
  amount_withdrawn   bigint      not null,
  -- What it has taken from what its payment had paid of an invoice.
  amount_unpaid      bigint      not null,
  -- Of how many days before respond_by it was told last.
  days_told          int,
  -- When the next deadline passes.
  due_at             timestamptz,
  -- When the reading began that it was last changed by, and when it is read at its provider next.
  read_at            timestamptz not null,
  read_due_at        timestamptz,
  version            int         not null,
  created_at         timestamptz not null,
  updated_at         timestamptz not null,
  primary key (tenant_id, id)
);
-- A dispute over several payments is one record for each.
create unique index dispute_by_reference on dispute (channel_id, provider_reference, transaction_id);
create index dispute_by_transaction on dispute (tenant_id, transaction_id, id);
create index dispute_by_channel on dispute (tenant_id, channel_id, id);
create index dispute_due on dispute (due_at) where due_at is not null;
create index dispute_read_due on dispute (read_due_at) where read_due_at is not null;

-- Funds of disputes, and their fees: each is booked once, as a transfer of the ledger with its id as the source.
create table dispute_movement (
  tenant_id  bigint      not null,
  id         uuid        not null,
  dispute_id uuid        not null,
  -- The provider's id of it.
  reference  text        not null,
  kind       text        not null check (kind in ('WITHDRAWN', 'REINSTATED', 'FEE_CHARGED', 'FEE_RETURNED')),
  amount     bigint      not null check (amount between 1 and 9007199254740991),
  currency   text        not null,
  -- Whether it is a transfer of the ledger: not if its currency is not that of the payment.
  booked     boolean     not null,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index dispute_movement_by_reference on dispute_movement (tenant_id, dispute_id, reference);

alter table transaction
  -- What disputes have withdrawn and not reinstated, as their providers tell it; null: 0.
  add column amount_disputed         bigint,
  -- The part of amount_refund_held that refunds made elsewhere take; null: 0.
  add column amount_refund_elsewhere bigint,
  add column fraud_warned_at         timestamptz,
  drop constraint transaction_amounts_and_status,
  -- A provider can give back more than was left; Florin cannot.
  add constraint transaction_amounts_and_status check (
    amount >= 1 and amount <= 9007199254740991
    and amount_refunded >= 0 and amount_refunded <= amount_refund_held
    and amount_refund_held - coalesce(amount_refund_elsewhere, 0) <= coalesce(amount_captured, amount)
    and (amount_capturable is null
         or (amount_capturable >= 0 and amount_captured >= 0 and amount_capturable + amount_captured <= amount))
    and status = any ('{PENDING,PROCESSING,SUCCESS,FAILED,REFUNDED,CANCELLED}')
  ) not valid;

alter table ledger_transfer
  -- Of funds and fees of a dispute.
  add column dispute_id uuid,
  drop constraint ledger_transfer_debit_check,
  drop constraint ledger_transfer_credit_check,
  add constraint ledger_transfer_debit_check
    check (debit in ('PROVIDER_RECEIVABLE', 'MERCHANT_PAYABLE', 'REFUNDS', 'PROVIDER_FEES', 'UNAPPLIED', 'DISPUTED'))
    not valid,
  add constraint ledger_transfer_credit_check
    check (credit in ('PROVIDER_RECEIVABLE', 'MERCHANT_PAYABLE', 'REFUNDS', 'PROVIDER_FEES', 'UNAPPLIED', 'DISPUTED'))
    not valid;

-- How far each channel's list of disputes was read, and when it is read next.
create table dispute_reading (
  channel_id bigint      not null primary key,
  -- The list was read from here on, or is being read.
  since      timestamptz not null,
  -- The page to read next; null: the first one.
  cursor     text,
  -- When the reading under way began.
  began_at   timestamptz,
  due_at     timestamptz not null
);
create index dispute_reading_due on dispute_reading (due_at);

alter table sandbox_operation
  -- When the dispute of this charge begins, or the one after this refund or capture.
  add column disputed_at       timestamptz,
  add column dispute_answer    text check (dispute_answer in ('SUBMITTED', 'ACCEPTED', 'WINNING', 'LOSING')),
  add column dispute_answer_by text,
  add column dispute_answered_at timestamptz;
create index sandbox_operation_disputed on sandbox_operation (channel_id, disputed_at) where disputed_at is not null;
