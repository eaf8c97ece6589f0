-- Disputes that are lost take back what their payments had paid of invoices.
alter table invoice_payment
  -- What disputes have taken of it; null: 0.
  add column disputed bigint;
alter table seller
  -- Which disputes that are lost reopen the invoice; null: RETURNED.
  add column reopen_invoices text;
alter table seller add constraint seller_reopen_invoices_check
  check (reopen_invoices in ('NEVER', 'RETURNED', 'ALWAYS')) not valid;
