-- What tells whether an event and its deliveries are still as they were written (npm run verify).

-- deliveries: how many were made with the event. digest: the first 8 bytes of the body's SHA-256. Both null for events that
-- were written before; 15 bytes of some 700.
alter table event add column deliveries integer, add column digest bytea;

-- Up to which deliveries those that are done may have been removed (app.webhook.keep-deliveries): before_id is the least id
-- that was kept.
create table delivery_sweep (
  singleton boolean primary key default true check (singleton),
  before_id uuid not null
);
