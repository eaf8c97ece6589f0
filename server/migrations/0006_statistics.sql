-- What became of charges, by the UTC day on which they ended and by the channel that was tried: a payment that another
-- channel saved counts against the first one. Appended changes are folded in, as with transaction_total.
create table charge_total (
  tenant_id  bigint not null,
  day        date   not null,
  channel_id bigint not null,
  currency   text   not null,
  outcome    text   not null check (outcome in ('SUCCEEDED', 'FAILED', 'CANCELLED')),
  count      bigint not null,
  primary key (tenant_id, day, channel_id, currency, outcome)
);
-- No index: one row for each channel and outcome of a settling statement, gone a second later.
create table charge_total_delta (
  tenant_id  bigint not null,
  day        date   not null,
  channel_id bigint not null,
  currency   text   not null,
  outcome    text   not null,
  count      bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Charges that ended before this was counted.
insert into charge_total (tenant_id, day, channel_id, currency, outcome, count)
select o.tenant_id, (o.finished_at at time zone 'UTC')::date, o.channel_id, t.currency, o.state, count(*)
  from provider_operation o
  join transaction t on t.tenant_id = o.tenant_id and t.id = o.transaction_id
 where o.kind = 'CHARGE' and o.finished_at is not null
 group by 1, 2, 3, 4, 5;
