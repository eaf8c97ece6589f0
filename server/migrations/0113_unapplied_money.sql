-- What a payment took although nothing was left to pay of its invoice or payment link: owed to the payer, not to the
-- merchant. `not valid`: no row of these accounts can exist yet.
alter table ledger_transfer
  drop constraint ledger_transfer_debit_check,
  drop constraint ledger_transfer_credit_check,
  add constraint ledger_transfer_debit_check
    check (debit in ('PROVIDER_RECEIVABLE', 'MERCHANT_PAYABLE', 'REFUNDS', 'PROVIDER_FEES', 'UNAPPLIED')) not valid,
  add constraint ledger_transfer_credit_check
    check (credit in ('PROVIDER_RECEIVABLE', 'MERCHANT_PAYABLE', 'REFUNDS', 'PROVIDER_FEES', 'UNAPPLIED')) not valid;

with excess as (
  select tenant_id, transaction_id as id, excess from invoice_payment where excess > 0 and applied_at is not null
  union all
  select tenant_id, transaction_id, excess from checkout_payment where excess > 0
), booked as (
  insert into ledger_transfer (tenant_id, source_id, leg, transaction_id, channel_id, debit, credit, currency, amount,
                               created_at)
  select e.tenant_id, e.id, 3, e.id, charge.channel_id, 'MERCHANT_PAYABLE', 'UNAPPLIED', t.currency,
         e.excess - t.amount_refunded, date_trunc('milliseconds', now())
    from excess e
    join transaction t on t.tenant_id = e.tenant_id and t.id = e.id and t.amount_refunded < e.excess
    join ledger_transfer charge on charge.tenant_id = e.tenant_id and charge.source_id = e.id and charge.leg = 1
  returning tenant_id, channel_id, currency, amount, created_at
)
insert into ledger_total_delta (tenant_id, livemode, debit, credit, currency, day, count, amount)
select booked.tenant_id, coalesce(channel.livemode, true), 'MERCHANT_PAYABLE', 'UNAPPLIED', currency,
       (booked.created_at at time zone 'UTC')::date, count(*), sum(amount)
  from booked
  left join channel on channel.id = booked.channel_id
 group by 1, 2, 5, 6;
