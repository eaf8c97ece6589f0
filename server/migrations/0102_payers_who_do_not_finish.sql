-- When Florin gave up waiting for the payer: the charge is then cancelled at the provider, and the payment fails.
alter table provider_operation add column given_up_at timestamptz;
