-- Payments settle their invoices in their own transaction. Of what a payment took, `excess` was more than was left to pay.
-- Not valid: rows that exist satisfy the constraint, because 0 does.
alter table invoice_payment
  add column excess bigint not null default 0,
  add constraint invoice_payment_excess check (0 <= excess and excess <= amount and (excess = 0 or state = 'SUCCEEDED')) not valid;
-- Few payments have any. Invoices are listed by it.
create index invoice_payment_by_excess on invoice_payment (tenant_id, invoice_id) where excess > 0;

-- What payments in progress reserve is read from them, because a payment that waits for a person reserves nothing.
alter table invoice
  drop constraint invoice_payments_within_total,
  drop column amount_held,
  add constraint invoice_paid_within_total check (0 <= amount_paid and amount_paid <= total) not valid;
