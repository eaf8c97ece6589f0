import type { Check } from '../../../platform/postgres/check.ts';

/** Claims about checkouts and their payments. */
export const checkoutChecks: readonly Check[] = [
  {
    claim: 'A checkout is paid at most once, and only payments that were begun beside others are not its newest',
    offenders: `
      select format('tenant %s checkout %s', p.tenant_id, p.checkout_id) as offender
        from checkout_payment p
        join transaction t on t.tenant_id = p.tenant_id and t.id = p.transaction_id
       where t.status not in ('FAILED', 'CANCELLED') and not p.is_contested
         and exists (select from checkout_payment later
                      where later.tenant_id = p.tenant_id and later.checkout_id = p.checkout_id
                          and later.number > p.number)
         and not exists (select from checkout c
                          where c.tenant_id = p.tenant_id and c.id = p.checkout_id and c.invoice_id is not null)
       union
      select format('tenant %s checkout %s', p.tenant_id, p.checkout_id)
        from checkout_payment p
        join transaction t on t.tenant_id = p.tenant_id and t.id = p.transaction_id
       where p.judged_at is not null and t.status in ('SUCCESS', 'REFUNDED') and p.excess = 0
       group by p.tenant_id, p.checkout_id
      having count(*) > 1`,
  },
  {
    claim:
      'Money is UNAPPLIED exactly as far as payments took more than was left of their invoice or checkout ' +
      'and no refund has returned it',
    offenders: `
      with booked as (
        select tenant_id, transaction_id as id,
               sum(case when credit = 'UNAPPLIED' then amount else -amount end) as amount
          from ledger_transfer
         where 'UNAPPLIED' in (debit, credit)
         group by 1, 2
      ), excess as (
        select tenant_id, transaction_id as id, excess from invoice_payment where excess > 0 and applied_at is not null
         union all
        select tenant_id, transaction_id, excess from checkout_payment where excess > 0
      ), expected as (
        select excess.tenant_id, excess.id, greatest(excess.excess - t.amount_refunded, 0) as amount
          from excess
          join transaction t on t.tenant_id = excess.tenant_id and t.id = excess.id
      )
      select 'txn_' || replace(id::text, '-', '') as offender
        from booked
        full join expected using (tenant_id, id)
       where coalesce(booked.amount, 0) <> coalesce(expected.amount, 0)`,
  },
  {
    claim: 'Every payment of a checkout exists, has its mode, and is for its amount or its invoice',
    offenders: `
      select format('tenant %s checkout %s payment %s', p.tenant_id, p.checkout_id, p.number) as offender
        from checkout_payment p
        left join checkout c on c.tenant_id = p.tenant_id and c.id = p.checkout_id
        left join transaction t on t.tenant_id = p.tenant_id and t.id = p.transaction_id
       where t.id is null or c.id is null or t.livemode <> c.livemode or t.currency <> c.currency
          or t.invoice_id is distinct from c.invoice_id or t.amount <> coalesce(c.amount, t.amount)`,
  },
];
