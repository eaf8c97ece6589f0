-- Test and live are kept apart. livemode: the mode of a record, decided when it is made and never changed. A channel's is given;
-- that of a payment is its channel's, and refunds, ledger transfers, operations and disputes have that of their channel_id.
-- The next migration finds the test records among the existing ones.
alter table channel add column livemode boolean not null default true;
alter table developer_key add column livemode boolean not null default true;
alter table transaction add column livemode boolean not null default true;
alter table event add column livemode boolean not null default true;
-- An endpoint gets the events of its mode.
alter table webhook_endpoint add column livemode boolean not null default true;
alter table customer add column livemode boolean not null default true;
alter table plan add column livemode boolean not null default true;
alter table subscription add column livemode boolean not null default true;

-- series: what an invoice's number begins with. Live and test invoices are numbered apart, each without holes. Test invoices
-- that exist already keep their numbers, so that those of the live ones get no holes.
alter table invoice
  add column livemode boolean not null default true,
  add column series text not null default 'INV' check (series in ('INV', 'TEST'));

update channel set livemode = false where provider = 'sandbox';
