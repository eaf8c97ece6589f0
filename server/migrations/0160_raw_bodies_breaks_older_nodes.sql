-- Bodies of requests that are files. They are stored part by part while they arrive, so that no process holds them
-- whole, and any node can go on with them.
create table raw_body (
  tenant_id   bigint      not null,
  id          uuid        not null,
  bytes       bigint      not null default 0,
  -- Of the whole content, in hex; null until all of it has arrived.
  sha256      text,
  -- Whether a record has it. Others are deleted after a day.
  kept        boolean     not null default false,
  created_at  timestamptz not null,
  primary key (tenant_id, id),
  check (sha256 is not null or not kept)
);
create index raw_body_not_kept on raw_body (created_at) where not kept;

create table raw_body_part (
  tenant_id      bigint not null,
  body_id        uuid   not null,
  number         bigint not null,
  content_sealed bytea  not null,
  primary key (tenant_id, body_id, number),
  foreign key (tenant_id, body_id) references raw_body on delete cascade
);
-- Sealed bytes cannot be compressed.
alter table raw_body_part alter column content_sealed set storage external;

-- No released version has stored files of evidence. Those of development versions leave the drafts.
update dispute set evidence = (
  select coalesce(json_object_agg(key, value) filter (where json_typeof(value) = 'string'), '{}')
    from json_each(evidence)
) where evidence::text like '%"file"%';
delete from dispute_file;
alter table dispute_file drop column content_sealed;
