import type { Queryable } from '../../../platform/postgres/database.ts';
import { statement } from '../../../platform/postgres/statement.ts';

/** Change rows taken in one go, as with the totals of payments. */
const maxDeltasPerRun = 20_000;

/**
 * Moves what has gathered in ledger_total_delta into ledger_total, in one statement: a reader sees every transfer either
 * there or here, never twice or not at all. Two folds take different rows, and write theirs in the order of the key.
 */
const rollUpTotals = statement<{ folded: number }>(
  'ledger.fold',
  `with taken as (
     delete from ledger_total_delta
      where ctid = any (array(select ctid from ledger_total_delta limit ${maxDeltasPerRun} for update skip locked))
     returning *
   ), folded as (
     insert into ledger_total as total (tenant_id, currency, debit, credit, day, count, amount)
     select tenant_id, currency, debit, credit, day, sum(count), sum(amount)
       from taken
      group by 1, 2, 3, 4, 5
      order by 1, 2, 3, 4, 5
     on conflict (tenant_id, currency, debit, credit, day)
     do update set count = total.count + excluded.count, amount = total.amount + excluded.amount
   )
   select count(*) as folded from taken`,
);

/** Folds until nothing is left. */
export async function rollUpLedger(database: Queryable): Promise<void> {
  for (;;) {
    const [row] = await database.run(rollUpTotals);
    if ((row?.folded ?? 0) < maxDeltasPerRun) return;
  }
}
