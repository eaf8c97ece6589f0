import type { Relation } from '../../../../platform/postgres/relation.ts';
import type { Topic } from '../../../../platform/postgres/statement.ts';

/** Deltas are waiting to be rolled up into totals. */
export const rollupsDue: Topic = 'rollups';

/** The changes of payments that the totals count. */
type Changes = Relation<
  'tenant_id' | 'livemode' | 'channel_id' | 'user_id' | 'status' | 'created_at' | 'currency' | 'count' | 'amount'
>;

/**
 * A CTE that writes the deltas of the totals in the statement that changes the payments. A payment that enters a status
 * has count 1 and its amount, one that leaves it has count -1 and its amount negated. created_at is the payment's
 * creation time, whenever it changes.
 *
 * One row is written for each second, channel, user, status and currency. A batch therefore writes about as many rows
 * as it has groups, and the rollup can divide busy days into buckets (rollup-statements.ts).
 */
export const countTotals = (changes: Changes) => `
  counted as (
    insert into transaction_total_delta
           (tenant_id, livemode, channel_id, user_id, status, created_second, currency, count, amount)
    select tenant_id, livemode, channel_id, user_id, status, date_bin('1 second', created_at, timestamptz 'epoch'),
        currency,
           sum(count), sum(amount)
      from ${changes.name}
     group by 1, 2, 3, 4, 5, 6, 7
  )`;
