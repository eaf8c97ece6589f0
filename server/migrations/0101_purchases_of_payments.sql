-- What is bought with a payment, and who pays: the lines and the billing address that its creator named.
alter table transaction add column purchase json;
