-- Since when a provider's rate limit keeps the operation waiting; null: it was never limited.
alter table provider_operation add column limited_at timestamptz;
