-- Null: the provider can no longer say what became of the operation.
alter table provider_dispute alter column said drop not null;

-- The mode that the provider reported, if it is not that of the payment.
alter table provider_dispute add column said_livemode boolean;
