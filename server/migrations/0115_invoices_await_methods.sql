-- False: a method of the customer was set up, or could not be. Only invoices that wait for that are tried.
alter table collection_retry add column is_new_default boolean not null default true;
