-- The payment method whose debit for this invoice is announced to the payer; due_at says when it is sent.
alter table invoice_collection add column announced_method_id uuid;

-- A debit that is announced: its day is next_attempt_at.
alter table invoice_mail
  drop constraint invoice_mail_kind_check,
  add constraint invoice_mail_kind_check check (kind in ('INVOICE', 'DEBIT', 'RECEIPT', 'PAYMENT_FAILED')) not valid,
  add column mandate_reference text;
