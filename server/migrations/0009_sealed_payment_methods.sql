-- The provider's token of a customer's payment method, sealed. The old column holds what was stored before in clear, until
-- `npm run reseal` or the customer's next token moves it.
alter table customer add column payment_method_sealed bytea;
