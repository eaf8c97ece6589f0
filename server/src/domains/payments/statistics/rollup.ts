import type { Queryable } from '../../../platform/postgres/database.ts';
import { statement } from '../../../platform/postgres/statement.ts';

/** Change rows taken in one go, as with the totals of payments. */
const foldAtMost = 20_000;

/**
 * Moves what has gathered in charge_total_delta into charge_total, in one statement: a reader sees every charge either
 * there or here. Two folders take different rows, and write theirs in the order of the key.
 */
const fold = statement<{ folded: number }>(
  'statistics.fold_charges',
  `with taken as (
     delete from charge_total_delta
      where ctid = any (array(select ctid from charge_total_delta limit ${foldAtMost} for update skip locked))
     returning *
   ), folded as (
     insert into charge_total as total (tenant_id, day, channel_id, currency, outcome, count)
     select tenant_id, day, channel_id, currency, outcome, sum(count)
       from taken
      group by 1, 2, 3, 4, 5
      order by 1, 2, 3, 4, 5
     on conflict (tenant_id, day, channel_id, currency, outcome) do update set count = total.count + excluded.count
   )
   select count(*) as folded from taken`,
);

/** Folds until nothing is left. */
export async function rollUpCharges(database: Queryable): Promise<void> {
  for (;;) {
    const [row] = await database.run(fold);
    if ((row?.folded ?? 0) < foldAtMost) return;
  }
}
