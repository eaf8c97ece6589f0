-- Invited users choose their password themselves and have none before.
alter table app_user alter column password_hash drop not null;

-- Whether the owner of the address has proven to receive mail there. A name that nobody has proven passes to who proves it.
-- Names given out before count as proven, so that they stay with their users.
alter table login_name add column proven boolean not null default true;

-- User names and addresses are unique within a tenant. Whether one also logs its user in depends on other tenants, whose
-- users must not be revealed: that is in login_name alone.
create table account_name (
  tenant_id bigint not null references tenant,
  name      text   not null check (name = lower(name)),
  user_id   bigint not null references app_user,
  primary key (tenant_id, name)
);
insert into account_name (tenant_id, name, user_id)
select u.tenant_id, n.name, n.user_id from login_name n join app_user u on u.id = n.user_id;
create index account_name_by_name on account_name (name);
create index account_name_by_user on account_name (user_id);

-- From which device and address a session was started, and when its access tokens were last used.
alter table session add column user_agent text, add column address text, add column last_used_at timestamptz;

-- allowed_addresses: addresses and networks from which the key is accepted; empty: from anywhere. replaced_by: the key that
-- took its place. expiry_noticed_at: when its owner was told by mail that it expires.
alter table developer_key
  add column allowed_addresses text[] not null default '{}',
  add column last_used_address text,
  add column replaced_by bigint,
  add column expiry_noticed_at timestamptz;
create index developer_key_by_tenant on developer_key (tenant_id, created_at);
create index developer_key_to_notice on developer_key (expires_at)
  where state = 1 and expires_at is not null and replaced_by is null and expiry_noticed_at is null;
