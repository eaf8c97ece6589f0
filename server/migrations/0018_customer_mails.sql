-- Whether customers of a tenant are mailed receipts and failed payments, and in which language.
alter table tenant
  add column customer_mails boolean not null default false,
  add column mail_language text not null default 'en' check (mail_language in ('en', 'de'));

-- Mails to customers, written with the event that they report and sent afterwards.
create table invoice_mail (
  tenant_id       bigint      not null,
  id              uuid        not null,
  invoice_id      bigint      not null,
  kind            text        not null check (kind in ('RECEIPT', 'PAYMENT_FAILED')),
  -- When the payment is tried again, as it was planned when the payment failed.
  next_attempt_at timestamptz,
  -- CANCELLED: there was no reason to send it any more.
  state           text        not null default 'OPEN' check (state in ('OPEN', 'SENT', 'FAILED', 'CANCELLED')),
  -- How often sending it failed.
  tries           smallint    not null default 0,
  due_at          timestamptz not null,
  lease           uuid,
  leased_until    timestamptz,
  ended_at        timestamptz,
  primary key (tenant_id, id),
  check ((ended_at is null) = (state = 'OPEN'))
);
create index invoice_mail_due on invoice_mail (due_at) where state = 'OPEN';
create index invoice_mail_by_age on invoice_mail (ended_at) where state <> 'OPEN';
