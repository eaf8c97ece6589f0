-- Rates in basis points; null: untaxed. Of a subscription: the rate of its current period, at which unused time is credited.
alter table plan add column tax_rate integer check (tax_rate between 0 and 10000);
alter table subscription add column tax_rate integer;
alter table subscription_line add column tax_rate integer;
