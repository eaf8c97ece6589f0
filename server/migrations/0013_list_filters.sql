-- Payments by customer and invoice, for lists. Partial: a payment without one of these is in none of the indexes.
create index transaction_by_customer on transaction (tenant_id, customer_id, id) where customer_id is not null;
create index transaction_by_invoice on transaction (tenant_id, invoice_id, id) where invoice_id is not null;
