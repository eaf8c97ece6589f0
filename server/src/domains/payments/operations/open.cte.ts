import type { Topic } from '../../../platform/postgres/topics.ts';

/** Provider operations are due. */
export const operationsDue: Topic = 'operations';

/**
 * A CTE that writes down what a provider is going to be asked, before it is asked: from a CTE `operation (tenant_id,
 * transaction_id, number, kind, refund_id, channel_id, provider, amount, at)`. It stands in the same statement as the change
 * it follows from, so that neither can be without the other. It is due at once, by
 * the database's clock: `at` may be the time of an id, and that may be ahead of the clock.
 */
export const openOperationsCte = `
  opened as (
    insert into provider_operation (tenant_id, transaction_id, number, kind, refund_id, channel_id, provider, amount,
                                    due_at, created_at)
    select tenant_id, transaction_id, number, kind, refund_id, channel_id, provider, amount, least(at, now()), at
      from operation
  )`;
