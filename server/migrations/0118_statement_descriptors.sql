-- What payers read on the statements of their cards and accounts. Null: the provider decides.
alter table channel add column statement_descriptor text;
alter table plan add column statement_descriptor text;
alter table transaction add column statement_descriptor text;
-- The sandbox shows it to its payers.
alter table sandbox_operation add column statement_descriptor text;
