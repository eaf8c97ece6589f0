-- How charges ended, by UTC hour, for ten days: the last 24 hours are compared with the seven days before.
create table charge_hour_total (
  tenant_id  bigint   not null,
  day        date     not null,
  hour       smallint not null check (hour between 0 and 23),
  channel_id bigint   not null,
  outcome    text     not null check (outcome in ('SUCCEEDED', 'FAILED', 'CANCELLED')),
  count      bigint   not null,
  primary key (tenant_id, day, hour, channel_id, outcome)
);
create index charge_hour_total_by_day on charge_hour_total (day);

-- Charges counted before count for the first hour of their day.
insert into charge_hour_total (tenant_id, day, hour, channel_id, outcome, count)
select tenant_id, day, 0, channel_id, outcome, sum(count)
  from charge_total
 where day >= current_date - 9
 group by tenant_id, day, channel_id, outcome;

-- Nodes of the previous version leave it out.
alter table charge_total_delta add column hour smallint not null default 0;
