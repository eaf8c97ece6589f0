-- Callbacks of one operation are settled in the order in which they were received. Clocks of several nodes cannot tell that
-- order; a sequence can: a provider sends its next message after the last one was answered, that is, committed.
-- Existing rows keep null, except those still to be settled: so the table is not rewritten.
create sequence provider_callback_position;
alter table provider_callback add column position bigint;
update provider_callback c
   set position = numbered.position
  from (
    select channel_id, event_id, nextval('provider_callback_position') as position
      from (
        select channel_id, event_id from provider_callback where state = 'RECEIVED' order by received_at, id
      ) as waiting
  ) as numbered
 where c.channel_id = numbered.channel_id and c.event_id = numbered.event_id;
alter table provider_callback alter column position set default nextval('provider_callback_position');
alter sequence provider_callback_position owned by provider_callback.position;
alter table provider_callback add check (state <> 'RECEIVED' or position is not null);

-- What stands before a callback in the queue of its operation, by either name that an operation has.
create index provider_callback_by_key on provider_callback (channel_id, (notice ->> 'key'), position)
  where state = 'RECEIVED';
create index provider_callback_by_reference on provider_callback (channel_id, (notice ->> 'reference'), position)
  where state = 'RECEIVED';

-- Where a provider says what cannot be true beside what stands, or names another amount than was asked for: it is looked up.
--   OPEN       to be looked up             AGREES  the provider's answer is what stands
--   DISAGREES  the provider's own books differ from ours; it is asked again every day
create table provider_dispute (
  tenant_id      bigint      not null,
  transaction_id uuid        not null,
  number         smallint    not null,
  channel_id     bigint      not null,
  said           text        not null,
  -- Of the message: what is looked up.
  reference      text,
  amount         bigint,
  currency       text,
  state          text        not null check (state in ('OPEN', 'AGREES', 'DISAGREES')),
  look_ups       smallint    not null default 0,
  due_at         timestamptz not null,
  lease          uuid,
  leased_until   timestamptz,
  opened_at      timestamptz not null,
  closed_at      timestamptz,
  primary key (tenant_id, transaction_id, number),
  check ((closed_at is not null) = (state = 'AGREES'))
);
create index provider_dispute_due on provider_dispute (due_at) where state <> 'AGREES';
