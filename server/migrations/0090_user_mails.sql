-- Mails to users that must arrive, written with the change that they report and sent afterwards. A row names what the mail is
-- about; text and token are made when it is sent.
create table user_mail (
  tenant_id    bigint      not null,
  id           uuid        not null,
  user_id      bigint      not null,
  kind         text        not null check (kind in ('INVITATION', 'WEBHOOK_DISABLED', 'KEY_EXPIRING')),
  -- The endpoint or the developer key.
  record_id    bigint,
  created_at   timestamptz not null,
  -- CANCELLED: there was no reason to send it any more.
  state        text        not null default 'OPEN' check (state in ('OPEN', 'SENT', 'FAILED', 'CANCELLED')),
  -- How often sending it failed.
  tries        smallint    not null default 0,
  due_at       timestamptz not null,
  lease        uuid,
  leased_until timestamptz,
  ended_at     timestamptz,
  primary key (tenant_id, id),
  check ((ended_at is null) = (state = 'OPEN'))
);
create index user_mail_due on user_mail (due_at) where state = 'OPEN';
create index user_mail_of_user on user_mail (user_id) where state = 'OPEN';
create index user_mail_by_age on user_mail (ended_at) where state <> 'OPEN';
