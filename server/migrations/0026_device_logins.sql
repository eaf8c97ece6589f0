-- Logins of programs that another device approves (RFC 8628), until they expire.
create table device_login (
  device_hash    bytea       not null primary key,
  user_code_hash bytea       not null,
  -- What asks: a name that it gave itself, and from where.
  client         text        not null,
  address        text        not null,
  -- Null: whatever the user chooses.
  scope          text,
  livemode       boolean     not null,
  state          text        not null default 'PENDING' check (state in ('PENDING', 'APPROVED', 'DENIED', 'USED')),
  -- Who approved it, and what was granted.
  user_id        bigint references app_user,
  granted_scope  text,
  created_at     timestamptz not null,
  expires_at     timestamptz not null,
  polled_at      timestamptz,
  check (state not in ('APPROVED', 'USED') or (user_id is not null and granted_scope is not null))
);
create unique index device_login_by_user_code on device_login (user_code_hash);
create index device_login_by_expiry on device_login (expires_at);
create index device_login_by_user on device_login (user_id);
