-- One row for each change of a default. With one for each customer, a payment that changes the default of its customer
-- waited for the worker that takes the row, while the worker waited for the subscription of that payment.
drop table collection_retry;
create table collection_retry (
  id          uuid   primary key default gen_random_uuid(),
  tenant_id   bigint not null,
  customer_id bigint not null
);
