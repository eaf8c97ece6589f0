-- Whether the user has confirmed a second factor. On the user's own row, so that its lock decides between a login without a
-- second factor and a concurrent enrolment.
alter table app_user add column has_second_factor boolean not null default false;

-- true: sessions of users without a second factor may only enrol one.
alter table tenant add column second_factor_required boolean not null default false;

-- Until when the session counts as stepped up: it has given a code a short time ago.
alter table session add column stepped_up_until timestamptz;

-- confirmed_at: when a first code was given; null: begun and not in use. last_step: the 30 seconds of the code accepted last,
-- which is not accepted again. failures: wrong codes since failures_since, over all nodes and addresses.
create table second_factor (
  user_id        bigint      primary key references app_user,
  secret_sealed  bytea       not null,
  created_at     timestamptz not null,
  confirmed_at   timestamptz,
  last_step      bigint      not null default 0,
  failures       integer     not null default 0,
  failures_since timestamptz
);

create table recovery_code (
  user_id   bigint not null references app_user,
  code_hash bytea  not null,
  used_at   timestamptz,
  primary key (user_id, code_hash)
);

-- A login whose password was right and whose code is awaited. password_digest: SHA-256 of the password hash that was verified.
create table login_challenge (
  token_hash      bytea       primary key,
  user_id         bigint      not null references app_user,
  password_digest bytea       not null,
  expires_at      timestamptz not null,
  tries           integer     not null default 0,
  used_at         timestamptz
);
create index login_challenge_by_expiry on login_challenge (expires_at);
