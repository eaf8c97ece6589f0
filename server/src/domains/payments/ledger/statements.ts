import { rollupOf } from '../../../platform/jobs/rollup-statements.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import type { Account } from './accounts.ts';

export interface BalanceRow {
  currency: string;
  account: Account;
  /** Decimal digits, like `credit` and `balance`. */
  debit: string;
  credit: string;
  balance: string;
}

/** Debits and credits of each account by currency. Values: tenants, currency, last day (null means all), modes. */
export const readBalances = statement<BalanceRow>(
  'ledger.read_balances',
  `with cell as (
     select debit, credit, currency, day, amount from ledger_total
      where tenant_id = any ($1::bigint[]) and livemode = any ($4::boolean[])
      union all
     select debit, credit, currency, day, amount from ledger_total_delta
      where tenant_id = any ($1::bigint[]) and livemode = any ($4::boolean[])
   ),
   entry as (
     select currency, side.account, side.debit, side.credit
       from cell
      cross join lateral (values (debit, amount, 0), (credit, 0, amount)) as side (account, debit, credit)
      where ($2::text is null or currency = $2) and ($3::date is null or day <= $3)
   )
   select currency, account, sum(debit)::text as debit, sum(credit)::text as credit,
          (sum(debit) - sum(credit))::text as balance
     from entry
    group by 1, 2`,
);

/** A transfer of an amount from one account to another: one debit and one credit. */
export interface TransferRow {
  tenant_id: number;
  livemode: boolean;
  source_id: string;
  leg: number;
  transaction_id: string;
  /** Of the funds or the fee of a dispute. */
  dispute_id: string | null;
  channel_id: number;
  debit: Account;
  credit: Account;
  currency: string;
  amount: number;
  created_at: string;
}

/** The mode of a transfer is that of its channel. A subquery, so that the order of the index is kept. */
const livemode = '(select livemode from channel where channel.id = channel_id)';
const columns =
  `tenant_id, ${livemode} as livemode, source_id, leg, transaction_id, dispute_id, channel_id, debit, credit, ` +
  'currency, amount, created_at';
const newestFirst = 'created_at desc, source_id desc, leg';

/** Filters transfers and their totals. $2: currency, $3: account; null means all. */
const matchesFilter = '($2::text is null or currency = $2) and ($3::text is null or $3 in (debit, credit))';

/**
 * Locates a page of transfers by the daily totals: the total number of transfers of modes $4 in days $5 to $6; the days
 * that contain transfers $7 to $7 + $8, newest first; and how many transfers of these days come before the page. Exact,
 * because one statement adds the rolled-up totals and the deltas.
 */
export const locateTransfers = statement<{
  total: number;
  first_day: string | null;
  last_day: string | null;
  skip: number;
}>(
  'ledger.locate',
  `with counted as (
     select day, sum(count) as count
       from (
         select day, count from ledger_total
          where tenant_id = any ($1::bigint[]) and livemode = any ($4::boolean[]) and ${matchesFilter}
            and day between $5::date and $6::date
          union all
         select day, count from ledger_total_delta
          where tenant_id = any ($1::bigint[]) and livemode = any ($4::boolean[]) and ${matchesFilter}
            and day between $5::date and $6::date
       ) as cell
      group by day
   ),
   running as (
     select day, count, sum(count) over (order by day desc) - count as before from counted
   )
   select (select coalesce(sum(count), 0) from counted)::bigint as total, min(day) as first_day, max(day) as last_day,
          ($7::bigint - coalesce(min(before), 0))::bigint as skip
     from running
    where before < $7::bigint + $8::bigint and before + count > $7::bigint`,
);

/** Transfers $7 to $7 + $8 of modes $4 in days $5 to $6, newest first. */
export const listTransfers = statement<TransferRow>(
  'ledger.list',
  `select near.*
     from unnest($1::bigint[]) as seen (tenant_id)
    cross join lateral (
      select ${columns} from ledger_transfer
       where tenant_id = seen.tenant_id and ${matchesFilter} and ${livemode} = any ($4::boolean[])
         and created_at >= $5::date::timestamp at time zone 'UTC'
         and created_at < ($6::date + 1)::timestamp at time zone 'UTC'
       order by ${newestFirst} limit $7::bigint + $8::bigint
    ) as near
    order by ${newestFirst} offset $7::bigint limit $8::bigint`,
);

/** Transfers of payment $7 and its refunds, of modes $4, in days $5 to $6: too few to need totals. */
const ofPayment = `
   select ${columns}
     from unnest($1::bigint[]) as seen (tenant_id)
    cross join lateral (
      select source_id, leg, transaction_id, dispute_id, channel_id, debit, credit, currency, amount, created_at
        from ledger_transfer
       where tenant_id = seen.tenant_id and source_id = $7::uuid
       union all
      select source_id, leg, transaction_id, dispute_id, channel_id, debit, credit, currency, amount, created_at
        from ledger_transfer
       where tenant_id = seen.tenant_id and transaction_id = $7::uuid and source_id <> transaction_id
    ) as transfer
    where ${matchesFilter} and ${livemode} = any ($4::boolean[])
      and (created_at at time zone 'UTC')::date between $5::date and $6::date and transaction_id = $7::uuid`;

export const countTransfersOfPayment = statement<{ total: number }>(
  'ledger.count_of_payment',
  `select count(*) as total from (${ofPayment}) as found`,
);

/** Transfers $8 to $8 + $9 of the payment, newest first. */
export const listTransfersOfPayment = statement<TransferRow>(
  'ledger.list_of_payment',
  `${ofPayment} order by ${newestFirst} offset $8::bigint limit $9::bigint`,
);

/** Moves all rows of ledger_total_delta into ledger_total. */
export const rollUpLedger = rollupOf({
  name: 'ledger.roll_up',
  totals: 'ledger_total',
  deltas: 'ledger_total_delta',
  key: ['tenant_id', 'livemode', 'currency', 'debit', 'credit', 'day'],
  sums: ['count', 'amount'],
});
