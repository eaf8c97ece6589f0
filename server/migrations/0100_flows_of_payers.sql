-- Where a payer pays who has to choose a method: on a page of the provider, or in the page of the merchant.
alter table transaction
  add column payer_flow text not null default 'REDIRECT' check (payer_flow in ('REDIRECT', 'EMBEDDED'));
