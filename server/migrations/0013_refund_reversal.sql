-- Refunds that fail after they had succeeded: a bank returns the money days later.

-- reversed_at: when a refund that had succeeded turned out to have failed. Its operation keeps the time of the success in
-- finished_at; the ledger has a second transfer (leg 2) that reverses the first.
-- failure_untold: it failed before there was an event for that (refund.failed).
alter table refund
  add column reversed_at timestamptz check (reversed_at is null or status = 'FAILED'),
  add column failure_untold boolean not null default false;
update refund set failure_untold = true where status = 'FAILED';

-- returns_at: when the payer's bank sends the money of a sandbox refund back.
alter table sandbox_operation add column returns_at timestamptz;
