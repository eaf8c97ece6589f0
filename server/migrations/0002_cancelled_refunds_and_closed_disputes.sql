-- Refunds that were cancelled before refund.failed was sent for them.
update refund set failure_untold = true where status = 'CANCELLED';

-- A dispute that a user has closed: CLOSED, with who and why.
alter table provider_dispute
  add column closed_by bigint,
  add column close_note text,
  drop constraint provider_dispute_state_check,
  drop constraint provider_dispute_check,
  add constraint provider_dispute_state_check check (state in ('OPEN', 'AGREES', 'DISAGREES', 'CLOSED')),
  add constraint provider_dispute_check check ((closed_at is not null) = (state in ('AGREES', 'CLOSED'))),
  add constraint provider_dispute_closed_by_check check ((closed_by is not null) = (state = 'CLOSED'));
drop index provider_dispute_due;
create index provider_dispute_due on provider_dispute (due_at) where state in ('OPEN', 'DISAGREES');
