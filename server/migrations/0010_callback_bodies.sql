-- What a provider sent, letter by letter, sealed: it may hold payers' data and secrets of payments. It is there for a
-- person who has to find out what was said; settling needs none of it.
alter table provider_callback add column body_sealed bytea;
