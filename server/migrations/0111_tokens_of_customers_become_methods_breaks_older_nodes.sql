-- The token that a customer had stored becomes a payment method, which is set up at the provider of the customer's default
-- channel and becomes the default once it is ACTIVE. Where that channel or its provider is missing, the token is dropped.
-- Nodes of earlier versions read and write the columns of `customer`: all stop for this upgrade.
alter table payment_method
  -- `source_sealed` is a token that an earlier version has sealed for the customer's record.
  add column sealed_for_customer boolean not null default false,
  -- A token that an earlier version had stored in clear.
  add column source_plain        text    check (source_plain is null or status in ('PENDING', 'DETACHED'));

do $$
declare
  stored integer;
  begun  integer;
begin
  select count(*) into stored from customer where payment_method is not null or payment_method_sealed is not null;

  with token as materialized (
    select c.tenant_id, c.id as customer_id, c.livemode, channel.id as channel_id, channel.provider, c.payment_method,
           -- If both exist, the one in clear is newer.
           case when c.payment_method is null then c.payment_method_sealed end as sealed,
           (lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') || '7'
             || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid as id,
           date_trunc('milliseconds', now()) as at
      from customer c
      join channel on channel.id = c.default_channel_id and channel.provider is not null
                  and channel.livemode = c.livemode
     where c.payment_method is not null or c.payment_method_sealed is not null
  ), made as (
    insert into payment_method (tenant_id, id, livemode, customer_id, channel_id, provider, type, agreement, status,
                                wants_default, source_sealed, source_plain, sealed_for_customer, created_at, updated_at)
    select tenant_id, id, livemode, customer_id, channel_id, provider, 'other', 'SUBSCRIPTION', 'PENDING', true, sealed,
           payment_method, true, at, at
      from token
  )
  insert into payment_method_operation (tenant_id, method_id, number, kind, channel_id, provider, due_at, created_at)
  select tenant_id, id, 1, 'SETUP', channel_id, provider, at, at from token;
  get diagnostics begun = row_count;

  if stored > 0 then
    raise info 'Stored tokens of customers: % become payment methods, % are dropped, because their customers have no default channel with a provider',
      begun, stored - begun;
  end if;
end $$;

alter table customer drop column payment_method, drop column payment_method_sealed;
