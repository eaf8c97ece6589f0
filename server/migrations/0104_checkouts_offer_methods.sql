-- Whether the page offers the customer's payment methods: only that of a link that Florin sends to the customer does.
-- Other links are passed on.
alter table checkout add column offers_methods boolean not null default false;
