-- The books of the sandbox: a provider that lives inside Florin and behaves badly on request (docs/sandbox.md). One row is
-- one operation it was asked for, under the idempotency key it was asked with; whoever wants to know whether somebody was
-- charged twice asks here. It belongs to the provider's side: nothing of Florin's own books is derived from it.
--   UNTAKEN    the call was lost before anything happened: as if it had never been heard of
--   PENDING    under way, without a known end       UNDECIDED  the payer has to pay or give up
--   SUCCEEDED, FAILED, CANCELLED: for good; before settles_at it is not told yet, and a charge can still be called off
-- Almost every row is a charge that succeeded at once and is never touched again: all that is rare is null there.
create table sandbox_operation (
  key              text        primary key,
  kind             text        not null check (kind in ('CHARGE', 'REFUND', 'CANCEL')),
  channel_id       bigint      not null,
  amount           bigint      not null check (amount between 1 and 9007199254740991),
  currency         text        not null,
  state            text        not null
                   check (state in ('UNTAKEN', 'PENDING', 'UNDECIDED', 'SUCCEEDED', 'FAILED', 'CANCELLED')),
  created_at       timestamptz not null,
  -- How often it was asked for; 0: a charge that was called off before it was asked for.
  calls            integer     not null default 1,
  -- What succeeded refunds have given back of this charge.
  refunded         bigint      not null default 0 check (refunded between 0 and amount),
  behaviour        text,
  failure_code     text,
  fee              bigint,
  settles_at       timestamptz,
  -- It succeeds when it has been looked up this often.
  lookups_left     integer,
  -- Of a refund or a cancellation: the charge it is about.
  charge_key       text,
  return_url       text,
  -- What will be told, signed when it was asked for: a list of messages; while the payer decides, a list for each decision.
  callbacks        json,
  callback_step    smallint    not null default 0,
  callback_tries   smallint    not null default 0,
  callback_due_at  timestamptz,
  -- Why a callback was not sent: 'no_secret', or 'given_up' after too many tries. A look-up tells all the same.
  callback_trouble text
);
create index sandbox_operation_callback_due on sandbox_operation (callback_due_at) where callback_due_at is not null;
