import type { Topic } from '../../../platform/postgres/topics.ts';

/** Deltas wait to be rolled up into totals. */
export const rollupsDue: Topic = 'rollups';

/**
 * A CTE that tells the totals of a change: from a CTE `change (tenant_id, channel_id, user_id, status, created_at,
 * currency, count, amount)`, where a payment that comes into a status counts 1 with its amount, and one that leaves it
 * -1 with its amount taken off. created_at is the payment's own, whenever it changes. It stands in the same statement
 * as the change, so that neither can be without the other.
 *
 * Changes of one second are one row for each channel, user, status and currency: a batch writes about as many rows as
 * it has groups, and what folds them knows enough to cut busy days (fold.ts).
 */
export const countTotalsCte = `
  counted as (
    insert into transaction_total_delta
           (tenant_id, channel_id, user_id, status, created_second, currency, count, amount)
    select tenant_id, channel_id, user_id, status, date_bin('1 second', created_at, timestamptz 'epoch'), currency,
           sum(count), sum(amount)
      from change
     group by 1, 2, 3, 4, 5, 6
  )`;
