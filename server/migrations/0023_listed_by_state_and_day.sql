-- Lists by mode, state and day, and their totals: without these, a day of customers, invoices or subscriptions is found by
-- reading all of a tenant's.
create index customer_listed on customer (tenant_id, livemode, created_at, id);
create index invoice_listed on invoice (tenant_id, livemode, status, created_at, id);
create index subscription_listed on subscription (tenant_id, livemode, state, created_at, id);

-- Search of refunds by the beginning of their reason.
create index refund_by_reason on refund (tenant_id, lower(left(reason, 40)) text_pattern_ops) where reason is not null;
