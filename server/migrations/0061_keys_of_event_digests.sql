-- Keys under which the service makes the digests of events, sealed with an encryption key, so that the database never sees them.
-- A digest begins with the length and the id of its key; one of 8 bytes was made without a key by an older release.
create table event_key (
  id            text        primary key,
  secret_sealed bytea       not null,
  created_at    timestamptz not null
);
