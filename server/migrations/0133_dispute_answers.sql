-- Answers to disputes: requests to providers, and the files that they send.
create table dispute_operation (
  tenant_id       bigint      not null,
  dispute_id      uuid        not null,
  number          int         not null,
  kind            text        not null check (kind in ('SUBMIT', 'ACCEPT')),
  -- The stage that it answers.
  stage           text        not null,
  channel_id      bigint      not null,
  provider        text        not null,
  state           text        not null default 'READY'
    check (state in ('READY', 'CALLING', 'UNKNOWN', 'SUCCEEDED', 'FAILED', 'CANCELLED')),
  -- What is sent: texts and ids of files, by name.
  evidence        json        not null,
  defense_reason  text,
  user_id         bigint      not null,
  due_at          timestamptz not null,
  lease           uuid,
  leased_until    timestamptz,
  calls           int         not null default 0,
  look_ups        int         not null default 0,
  failure_code    text,
  provider_code   text,
  failure_message text,
  created_at      timestamptz not null,
  called_at       timestamptz,
  finished_at     timestamptz,
  primary key (tenant_id, dispute_id, number)
);
create index dispute_operation_due on dispute_operation (due_at) where finished_at is null;
-- One at a time, and evidence once a stage.
create unique index dispute_operation_under_way on dispute_operation (tenant_id, dispute_id) where finished_at is null;
create unique index dispute_operation_once on dispute_operation (tenant_id, dispute_id, stage)
  where kind = 'SUBMIT' and state = 'SUCCEEDED';

create table dispute_file (
  tenant_id      bigint      not null,
  id             uuid        not null,
  dispute_id     uuid        not null,
  -- Of a field of the evidence.
  name           text        not null,
  type           text        not null,
  bytes          int         not null,
  sha256         text        not null,
  -- In base64.
  content_sealed bytea       not null,
  user_id        bigint      not null,
  created_at     timestamptz not null,
  primary key (tenant_id, id)
);
create index dispute_file_of_dispute on dispute_file (tenant_id, dispute_id, id);
