-- A key pair on a device of the user. counter: how often the device says it was used; 0: it does not count.
create table passkey (
  id            uuid        primary key,
  user_id       bigint      not null references app_user,
  credential_id bytea       not null unique,
  -- COSE (RFC 9052), as the authenticator sent it.
  public_key    bytea       not null,
  counter       bigint      not null,
  transports    text[]      not null,
  name          text        not null,
  -- Whether the key pair is kept by a provider, so that it survives the loss of the device.
  backed_up     boolean     not null,
  created_at    timestamptz not null,
  last_used_at  timestamptz
);
create index passkey_by_user on passkey (user_id, created_at);

-- Challenges that were answered, until they expire: each is answered once. Those that are not answered are not stored.
create table used_passkey_challenge (
  challenge_hash bytea       primary key,
  expires_at     timestamptz not null
);
create index used_passkey_challenge_by_expiry on used_passkey_challenge (expires_at);

-- Users with passkeys alone have recovery codes and a count of wrong codes, but no secret of an authenticator app.
alter table second_factor alter column secret_sealed drop not null;

-- The provider's token that a payment was created with, sealed. The old column holds what was stored before in clear, until
-- `npm run reseal` moves it.
alter table transaction add column payment_method_sealed bytea;
