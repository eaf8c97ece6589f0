-- Each capture of a payment pays its part of an invoice, and may take more than was left, while the payment goes on.
alter table invoice_payment
  drop constraint invoice_payment_excess,
  add constraint invoice_payment_excess check (0 <= excess and excess <= amount and (excess = 0 or state in ('OPEN', 'SUCCEEDED')))
    not valid;
