import { statement, type Topic } from '../../../platform/postgres/statement.ts';
import type { DisputeRow } from './record.ts';

/** Deadlines of disputes pass. */
export const deadlinesDue: Topic = 'dispute_deadlines';

/** For the due-work poller: whether any deadline has passed. Value: now in ms. */
export const deadlineDue = 'select from dispute where due_at <= to_timestamp($1::float8 / 1000)';

/** Disputes whose deadline has passed. They are due again later, also if the process dies. Values: now, limit, then. */
export const claimDeadlines = statement<Pick<DisputeRow, 'tenant_id' | 'id'>>(
  'disputes.claim_deadlines',
  `update dispute d set due_at = to_timestamp($3::float8 / 1000)
    where (d.tenant_id, d.id) in (
      select tenant_id, id from dispute
       where due_at <= to_timestamp($1::float8 / 1000) order by due_at limit $2 for update skip locked
    )
   returning d.tenant_id, d.id`,
);

/** Live disputes that must be answered. Values: from when and until when, both in ms. */
export const countDue = statement<{ count: number }>(
  'disputes.count_due',
  `select count(*) as count from dispute
    where due_at is not null and status = 'OPEN' and livemode
      and respond_by between to_timestamp($1::float8 / 1000) and to_timestamp($2::float8 / 1000)`,
);
