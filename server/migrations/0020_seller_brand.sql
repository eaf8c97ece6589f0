-- How a tenant presents itself to payers: a picture, a colour (#rrggbb), and its own texts of mails.
alter table tenant
  add column logo bytea,
  add column logo_type text check (logo_type in ('image/png', 'image/jpeg')),
  add column brand_color text,
  add column mail_texts json;

-- Invoices that nothing is charged for automatically are mailed with the address of their page. Not valid: rows that exist
-- have one of the older kinds.
alter table invoice_mail drop constraint invoice_mail_kind_check;
alter table invoice_mail add constraint invoice_mail_kind_check
  check (kind in ('INVOICE', 'RECEIPT', 'PAYMENT_FAILED')) not valid;
