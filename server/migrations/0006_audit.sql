-- The audit log: who did what, to which record, when, with the changed fields.
--
-- An entry is inserted in the transaction of the change, without seq and hash, so that no transaction waits for another.
-- A worker then numbers the committed entries of each tenant and chains them: hash = sha256(previous hash || body). The
-- first previous hash is 32 zero bytes. Nothing else is ever updated.
create table audit_entry (
  tenant_id   bigint not null,
  -- A UUIDv7 of the database's clock.
  id          uuid   not null,
  -- JSON with every field, the exact text that the hash covers. The columns below repeat some of it for the filters.
  body        text   not null,
  action      text   not null,
  record_type text   not null,
  record_id   text,
  -- Null: nobody who is signed in.
  user_id     bigint,
  seq         bigint,
  hash        bytea,
  primary key (tenant_id, id)
);
create unique index audit_entry_chain on audit_entry (tenant_id, seq) where seq is not null;
create index audit_entry_unchained on audit_entry (tenant_id, id) where seq is null;
create index audit_entry_by_record on audit_entry (tenant_id, record_type, record_id, id) where record_id is not null;

-- The last chained entry of each tenant. Only the chaining worker and the retention sweep lock it.
create table audit_chain (
  tenant_id bigint primary key,
  seq       bigint not null default 0,
  hash      bytea  not null default decode(repeat('00', 32), 'hex')
);
