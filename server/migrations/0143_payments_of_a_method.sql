-- The charges of a payment method that have not ended: networks cap declines, and each of them may become one.
create index transaction_of_method on transaction (tenant_id, method_id) where method_id is not null;
