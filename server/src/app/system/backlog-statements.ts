import { statement } from '../../platform/postgres/statement.ts';

/** Counting stops here: beyond it the exact number does not matter, and the query stays cheap. */
const maxCounted = 10_000;

const now = 'to_timestamp($1::float8 / 1000)';

interface Source {
  work: string;
  /** Due rows with their `due_at`. */
  due: string;
  /** The oldest of them, by an index; undefined: as `due`. */
  oldest?: string;
}

const dueIn = (table: string, open: string) => `select due_at from ${table} where ${open} and due_at <= ${now}`;

/** Besides webhook deliveries, which have a statement of their own. */
const sources: readonly Source[] = [
  {
    work: 'provider_operations',
    due: dueIn('provider_operation', 'finished_at is null'),
    // The index has a queue of each channel in order of `due_at`.
    oldest: `select first.due_at
               from (select distinct channel_id from provider_operation where finished_at is null) as channel
              cross join (values (false), (true)) as queue (background)
              cross join lateral (
                select o.due_at from provider_operation o
                 where o.channel_id = channel.channel_id and o.background = queue.background
                   and finished_at is null and o.due_at <= ${now}
                 order by o.due_at limit 1
              ) as first`,
  },
  { work: 'provider_callbacks', due: dueIn('provider_callback', `state = 'RECEIVED'`) },
  { work: 'payment_method_operations', due: dueIn('payment_method_operation', 'finished_at is null') },
  { work: 'dispute_answers', due: dueIn('dispute_operation', 'finished_at is null') },
  { work: 'discrepancies', due: dueIn('discrepancy', `state in ('OPEN', 'DISAGREES')`) },
  { work: 'subscriptions', due: dueIn('subscription', 'clock_id = 0') },
  { work: 'invoice_collections', due: dueIn('invoice_collection', 'clock_id = 0') },
  { work: 'customer_mails', due: dueIn('invoice_mail', `state = 'OPEN'`) },
  { work: 'user_mails', due: dueIn('user_mail', `state = 'OPEN'`) },
];

export const deliveriesWork = 'webhook_deliveries';

/** Kinds of work that come due in tables. */
export const backlogWorks: readonly string[] = [deliveriesWork, ...sources.map(({ work }) => work)];

export interface BacklogRow {
  work: string;
  due: number;
  oldest_ms: number | null;
}

/** A row for each kind of work but deliveries. Value: now in ms. */
export const readBacklog = statement<BacklogRow>(
  'system.read_backlog',
  sources
    .map(
      ({ work, due, oldest = due }) => `select '${work}' as work,
          (select count(*)::int from (${due} limit ${maxCounted}) as counted) as due,
          (select (extract(epoch from min(due_at)) * 1000)::float8 from (${oldest}) as waiting) as oldest_ms`,
    )
    .join('\n   union all\n   '),
);
