import type { Check } from '../../../platform/postgres/check.ts';
import { accounts } from './accounts.ts';

const knownAccounts = Object.keys(accounts)
  .map((account) => `'${account}'`)
  .join(', ');

export const ledgerChecks: readonly Check[] = [
  {
    claim: 'The entries of the ledger sum to zero, in every tenant, mode and currency',
    offenders: `
      select format('tenant %s %s', ledger_transfer.tenant_id, currency) as offender
        from ledger_transfer
        left join channel on channel.id = channel_id
       cross join lateral (values (debit, amount), (credit, -amount)) as side (account, signed)
       where side.account in (${knownAccounts})
       group by ledger_transfer.tenant_id, livemode, currency
      having sum(signed) <> 0`,
  },
  {
    claim: 'The totals of the ledger equal a recount of its transfers',
    offenders: `
      with recount as (
        select l.tenant_id, coalesce(livemode, true) as livemode, debit, credit, currency,
            (l.created_at at time zone 'UTC')::date as day,
               count(*) as count, sum(amount) as amount
          from ledger_transfer l
          left join channel on channel.id = channel_id
         group by 1, 2, 3, 4, 5, 6
      ), stored as (
        select tenant_id, livemode, debit, credit, currency, day, sum(count) as count, sum(amount) as amount
          from (
            select tenant_id, livemode, debit, credit, currency, day, count, amount from ledger_total
             union all
            select tenant_id, livemode, debit, credit, currency, day, count, amount from ledger_total_delta
          ) as total
         group by 1, 2, 3, 4, 5, 6
      )
      select format('tenant %s %s %s→%s %s', tenant_id, day, debit, credit, currency) as offender
        from recount
        full join stored using (tenant_id, livemode, debit, credit, currency, day)
       where recount.count is distinct from stored.count or recount.amount is distinct from stored.amount`,
  },
];
