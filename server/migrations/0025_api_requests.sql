-- What callers sent, for the people who write them. Without foreign keys: a row is written for each request.
create table api_request (
  tenant_id       bigint   not null,
  -- A UUIDv7 of the moment of the answer.
  id              uuid     not null,
  method          text     not null,
  path            text     not null,
  status          smallint not null,
  duration_ms     integer  not null,
  -- Null: neither live nor for tests.
  livemode        boolean,
  user_id         bigint   not null,
  -- Null: a session.
  key_id          bigint,
  request_id      text     not null,
  address         text,
  user_agent      text,
  idempotency_key text,
  -- Of a refusal.
  error_type      text,
  error_field     text,
  error_message   text,
  primary key (tenant_id, id)
);
create index api_request_refused on api_request (tenant_id, id) where status >= 400;
create index api_request_by_request_id on api_request (tenant_id, request_id);
