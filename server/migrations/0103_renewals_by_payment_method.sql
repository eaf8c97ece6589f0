-- The payment method that renewals of the subscription are charged with; null: the customer's default.
alter table subscription add column method_id uuid;
create index subscription_of_method on subscription (tenant_id, method_id)
  where method_id is not null and state not in ('CANCELLED', 'EXPIRED');

-- The method of the last failed attempt to collect, and what its failure allows. `scheduled_at`: an attempt outside of
-- the schedule is under way, which goes on at this time if that one fails.
alter table invoice_collection
  add column method_id    uuid,
  add column retry        text check (retry in ('LATER', 'OTHER_METHOD', 'WITH_PAYER', 'NEVER')),
  add column scheduled_at timestamptz;

-- Customers with a new default method: their failed invoices are tried again at once.
create table collection_retry (
  tenant_id   bigint not null,
  customer_id bigint not null,
  primary key (tenant_id, customer_id)
);

-- What the failure allows that a mail reports.
alter table invoice_mail add column retry text check (retry in ('LATER', 'OTHER_METHOD', 'WITH_PAYER', 'NEVER'));
