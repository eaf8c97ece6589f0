-- How fast all nodes together send operations through a channel: one whose provider refused some by its rate limit, or any if
-- a setting limits them. Times are in ms since the epoch.
create table channel_pace (
  channel_id    bigint           primary key,
  -- Operations a second, as learned from refusals; null: only the setting limits them.
  rate_per_s    double precision,
  -- Until when the rate is used up, or the channel pauses.
  used_until_ms double precision not null,
  -- When the last claim took operations.
  taken_ms      double precision not null,
  -- When the rate was last lowered.
  limited_ms    double precision
) with (fillfactor = 50);

-- No payer waits for it: a payment that Florin opened by itself, such as a renewal. Others are sent first.
alter table provider_operation add column background boolean not null default false;

drop index provider_operation_due;
create index provider_operation_due on provider_operation (channel_id, background, due_at) where finished_at is null;
