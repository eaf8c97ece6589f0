-- Endpoints kept apart from each other, and answers kept with their attempts.

-- What an endpoint may be sent at a time, and how it has been faring.
-- max_in_flight: null leaves it to how promptly the endpoint answers. open_until: sending is paused until then, and
-- then one delivery tries; null means that nothing is wrong. first_failure_at: when the failing began that no success
-- has ended since; set when sending is paused or a delivery uses up its tries. origin: scheme, host and port.
alter table webhook_endpoint
  add column max_in_flight    integer check (max_in_flight between 1 and 10000),
  add column rate_per_s       integer check (rate_per_s between 1 and 100000),
  add column open_until       timestamptz,
  add column first_failure_at timestamptz,
  add column origin           text not null
      generated always as (coalesce(lower(substring(url from '^[a-zA-Z]+://[^/?#]+')), url)) stored;

-- Until when an endpoint's rate is used up (ms since the epoch), and what was granted of it last: one row for each
-- endpoint that has a rate. Apart from webhook_endpoint, which every payment reads, since it changes with every claim.
create table webhook_pace (
  endpoint_id   bigint           primary key,
  rate_per_s    integer          not null,
  used_until_ms double precision not null,
  granted       integer          not null
) with (fillfactor = 50);

-- A delivery set aside is due but waits for its endpoint: it has left the queue of those that are due, so that it hides
-- nobody, and stands in its endpoint's own. The two indexes hold each open delivery once.
alter table delivery add column aside boolean not null default false;
drop index delivery_due;
create index delivery_due on delivery (due_at) where state = 'OPEN' and not aside;
create index delivery_aside on delivery (endpoint_id, due_at) where state = 'OPEN' and aside;

-- The answer to a try: the address that gave it, its headers as a JSON object, the first 8 KiB of its body.
alter table delivery_attempt
  add column address          text,
  add column response_headers json,
  add column response_body    bytea;
