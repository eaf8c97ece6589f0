-- Where a payer pays who has to choose a method: on a page of the provider, or in the page of the merchant, as all
-- payments of Stripe did that are there already.
alter table transaction
  add column payer_flow text not null default 'EMBEDDED' check (payer_flow in ('REDIRECT', 'EMBEDDED'));
alter table transaction alter column payer_flow set default 'REDIRECT';
