-- The id of the subscription in the shop's own or in a former system. It never changes.
alter table subscription add column external_id text;
create unique index subscription_by_external_id on subscription (tenant_id, livemode, external_id)
  where external_id is not null;

-- ELSEWHERE: the rest of a period that a former system has billed. `not valid`: no row of this kind can exist yet.
alter table subscription_period
  drop constraint subscription_period_kind_check,
  add constraint subscription_period_kind_check check (kind in ('TRIAL', 'BILLED', 'PAUSED', 'ELSEWHERE')) not valid;
