-- Customers by the beginning of their name; invoices by subscription and by the beginning of their description. Invoices of
-- renewals have no description.
create index customer_by_name on customer (tenant_id, lower(left(name, 40)) text_pattern_ops);
create index invoice_by_subscription on invoice (tenant_id, subscription_id, id) where subscription_id is not null;
create index invoice_by_description on invoice (tenant_id, lower(left(description, 40)) text_pattern_ops)
  where description is not null;
