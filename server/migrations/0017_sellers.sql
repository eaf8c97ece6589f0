-- The seller on a tenant's invoices, besides its name. An invoice keeps the seller as it was when it was finalized; invoices that
-- were finalized before have none, and show the tenant's name alone.
alter table tenant add column address json, add column tax_id text;
alter table invoice add column seller json;
