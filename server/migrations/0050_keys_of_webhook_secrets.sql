-- Secrets that begin with whsec_ but are not padded base64 signed `webhook-signature` with the bytes of the whole secret, which
-- libraries of Standard Webhooks do not verify. Those of new endpoints sign as the libraries decode them. Receivers of existing
-- endpoints have adapted, so that these go on until their secret is changed.
alter table webhook_endpoint
  add column secret_is_legacy boolean not null default true,
  add column next_secret_is_legacy boolean not null default true;
alter table webhook_endpoint
  alter column secret_is_legacy set default false,
  alter column next_secret_is_legacy set default false;
