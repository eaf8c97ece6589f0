-- How many days customers have to pay an invoice that names no day itself. Null, as older nodes leave it: none.
alter table seller add column due_days smallint check (due_days between 0 and 365);
