import { minuteMs } from '../../../core/clock.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import { shortenPauses } from '../endpoints/health-statements.ts';
import { breakerOpenMs } from './rules.ts';

/** A time is judged to come from a clock that was set back since when it lies so much further ahead than it may. */
const slackMs = minuteMs;
/** Rows in one go: each go is short, so that it holds nobody up. */
const rowsAtOnce = 5_000;

/**
 * Values: the furthest end of a lease that can be, the end it gets instead, in ms. Its holder keeps it, so that nothing
 * is sent twice. Once for each index of what is open.
 */
const shortenLeases = (queue: 'due' | 'aside') =>
  statement(
    `deliveries.shorten_leases_${queue}`,
    `update delivery set leased_until = to_timestamp($2::float8 / 1000)
      where state = 'OPEN' and ${queue === 'due' ? 'not ' : ''}aside and leased_until > to_timestamp($1::float8 / 1000)`,
  );

/** How long a delivery with so many attempts waits for the next. `$2` are the intervals in ms. */
const waitMs = 'coalesce(($2::float8[])[delivery.attempts], 0)';

/**
 * A delivery that waits for longer than its retry interval (twice that, where the receiver asked for it) is due when a whole
 * interval has passed from now: never earlier than promised. Values: now in ms, the intervals, the slack, how many at most.
 */
const bringForward = statement<{ count: number }>(
  'deliveries.bring_forward',
  `with ahead as materialized (
     select ctid as place from delivery
      where state = 'OPEN' and not aside and due_at > to_timestamp(($1::float8 + $3::float8) / 1000)
        and due_at > to_timestamp(($1::float8 + $3::float8 + 2 * ${waitMs}) / 1000)
      limit $4 for update skip locked
   ), moved as (
     update delivery set due_at = to_timestamp(($1::float8 + ${waitMs}) / 1000)
       from ahead where delivery.ctid = ahead.place
     returning 1
   )
   select count(*) as count from moved`,
);

const setBackReplays = statement(
  'deliveries.set_back_replays',
  `update webhook_replay
      set due_at = least(due_at, to_timestamp($2::float8 / 1000)),
          leased_until = case when lease is not null then least(leased_until, to_timestamp($2::float8 / 1000)) end
    where state = 'RUNNING' and greatest(due_at, leased_until) > to_timestamp($1::float8 / 1000)`,
);

export interface Waits {
  leaseMs: number;
  retryIntervalsMs: readonly number[];
}

/** The database's clock was set back: what was written by its old time must not hold deliveries until that comes again. */
export async function bringDeliveriesForward(
  database: Queryable,
  nowMs: number,
  { leaseMs, retryIntervalsMs }: Waits,
): Promise<void> {
  for (const queue of ['due', 'aside'] as const) {
    await database.run(shortenLeases(queue), [nowMs + leaseMs + slackMs, nowMs + leaseMs]);
  }
  const pauseMs = Math.max(leaseMs, breakerOpenMs);
  await database.run(shortenPauses, [nowMs + pauseMs + slackMs, nowMs + breakerOpenMs]);
  for (;;) {
    const [row] = await database.run(bringForward, [nowMs, [...retryIntervalsMs], slackMs, rowsAtOnce]);
    if ((row?.count ?? 0) < rowsAtOnce) return;
  }
}

/** A replay waits for a batch, or to look once more: for seconds. */
export async function bringReplaysForward(database: Queryable, nowMs: number, leaseMs: number): Promise<void> {
  await database.run(setBackReplays, [nowMs + leaseMs + slackMs, nowMs + leaseMs]);
}
