-- Payments by customer, invoice and the beginning of their description, for lists. Partial: a payment without one of these
-- is in none of the indexes.
create index transaction_by_customer on transaction (tenant_id, customer_id, id) where customer_id is not null;
create index transaction_by_invoice on transaction (tenant_id, invoice_id, id) where invoice_id is not null;
create index transaction_by_description on transaction (tenant_id, lower(left(description, 40)) text_pattern_ops)
  where description is not null;
