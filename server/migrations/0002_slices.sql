-- Busy days are cut into slices, so that a page in the middle of one is found without reading what lies before it
-- (docs/decisions, lists and totals).

-- Changes carry the second in which the payment was created, from which its day and its slice follow. What still waits
-- in the old form is folded here and now.
lock table transaction_total_delta in access exclusive mode;

insert into transaction_total as total (tenant_id, channel_id, user_id, status, day, currency, count, amount)
select tenant_id, coalesce(channel_id, 0), coalesce(user_id, 0), coalesce(status, '*'), day, currency,
       sum(count), sum(amount)
  from transaction_total_delta
 group by tenant_id, day, currency, cube (channel_id, user_id, status)
on conflict (tenant_id, channel_id, user_id, status, day, currency)
do update set count = total.count + excluded.count, amount = total.amount + excluded.amount;

drop table transaction_total_delta;
create table transaction_total_delta (
  tenant_id      bigint      not null,
  channel_id     bigint      not null,
  user_id        bigint      not null,
  created_second timestamptz not null,
  count          bigint      not null,
  status         text        not null,
  currency       text        not null,
  amount         numeric     not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create index transaction_total_delta_by_tenant on transaction_total_delta (tenant_id);

-- A day is one slice, from its first second, until it gets busy; then more are begun (domains/payments/transactions/rollup.ts).
-- count is of the payments folded into the slice, newest_second the latest second of any of them: a slice is only ever
-- begun after it, so that nothing folded changes its slice. A slice ends where the next one of its day starts.
create table transaction_slice (
  tenant_id     bigint      not null,
  started_at    timestamptz not null,
  newest_second timestamptz not null,
  count         bigint      not null,
  primary key (tenant_id, started_at)
);

-- How many payments, by slice, in the same eight combinations as transaction_total; only for slices after the first of
-- their day, which holds what the others leave of the day's total. Days that never got busy have no rows here.
create table transaction_slice_total (
  tenant_id  bigint      not null,
  channel_id bigint      not null,
  user_id    bigint      not null,
  status     text        not null,
  started_at timestamptz not null,
  count      bigint      not null,
  primary key (tenant_id, channel_id, user_id, status, started_at)
);

-- Days that have begun before stay whole: up to which second they were folded is not known, so it is taken to be the
-- last.
insert into transaction_slice (tenant_id, started_at, newest_second, count)
select tenant_id, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC' - interval '1 second',
       sum(count)
  from transaction_total
 where channel_id = 0 and user_id = 0 and status = '*'
 group by tenant_id, day;
