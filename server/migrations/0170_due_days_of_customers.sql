-- How many days a customer has to pay an invoice that names no day itself. Null, as older nodes leave it: the seller's.
alter table customer add column due_days smallint check (due_days between 0 and 365);
