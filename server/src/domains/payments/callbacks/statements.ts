import {
  claimStatement,
  leasedTable,
  recordStatement,
  sweepStatement,
} from '../../../platform/jobs/lease-statements.ts';
import { type Statement, statement, type Topic } from '../../../platform/postgres/statement.ts';
import { type CallbackContent, retryWaitsMs } from './rules.ts';

/** Provider callbacks are due to be settled. */
export const callbacksDue: Topic = 'callbacks';

/**
 * Stores a callback as RECEIVED, or as IGNORED if it has no content. Returns nothing if it was stored before. Values:
 * channel, the provider's id of the callback, our id, now in ms, the content as JSON, the sealed body.
 */
export const storeCallback = statement<{ id: string }>(
  'callbacks.store',
  `with input as (
     select to_timestamp($4::float8 / 1000) as at, $5::json as notice
   )
   insert into provider_callback (channel_id, event_id, id, received_at, notice, state, due_at, settled_at,
                                  body_sealed)
   select $1, $2, $3, at, notice, case when notice is null then 'IGNORED' else 'RECEIVED' end, at,
          case when notice is null then at end, $6
     from input
   on conflict do nothing
   returning id`,
  { wakes: [{ topic: callbacksDue, when: (rows) => rows.length > 0 }] },
);

export interface DueCallback {
  channel_id: number;
  event_id: string;
  id: string;
  notice: CallbackContent;
  /** How often no operation was found for it. */
  tries: number;
}

export const callbackTable = leasedTable({
  table: 'provider_callback',
  name: 'callbacks',
  open: `state = 'RECEIVED'`,
  waitMs: `coalesce((array[${retryWaitsMs.join(', ')}]::float8[])[tries], 0)`,
});

/** For the due-work poller: whether any callback is due. Value: now in ms. */
export const callbackDue = `select from provider_callback where ${callbackTable.isDue}`;

/** A callback identifies its operation by our key, by the provider's reference, or by both. */
const identifiers = ['key', 'reference'] as const;
export type Identifier = (typeof identifiers)[number];

/** Whether the callback `earlier` was received before `t`, is not settled, and has the same identifier. */
const precedes = (identifier: Identifier) => `earlier.state = 'RECEIVED' and earlier.channel_id = t.channel_id
          and (earlier.notice ->> '${identifier}') = (t.notice ->> '${identifier}') and earlier.position < t.position`;

/**
 * Whether `t` is the first callback of its operation, leased ones included. Callbacks whose operation was not found
 * (`tries`) do not count: they wait for their retry without delaying others, and `makeEarlierDue` restores the order if
 * the operation is found. `offset 0` makes the planner use the index instead of a join.
 */
const isNext = identifiers
  .map(
    (identifier) => `not exists (
          select from provider_callback earlier
           where ${precedes(identifier)} and (earlier.tries = 0 or earlier.lease is not null)
          offset 0)`,
  )
  .join('\n        and ');

/** Leases due callbacks: of each operation only the first one received. */
export const claimCallbacks = claimStatement<DueCallback>(callbackTable, {
  key: ['channel_id', 'event_id'],
  returning: ['channel_id', 'event_id', 'id', 'notice', 'tries'],
  and: isNext,
});

/**
 * Makes callbacks due that were received before a callback, have the same identifier, and wait for a retry because
 * their operation was not found. Values: the callback's channel and provider id, now in ms.
 */
export const makeEarlierDue = Object.fromEntries(
  identifiers.map((identifier) => [
    identifier,
    statement<{ event_id: string }>(
      `callbacks.make_earlier_due_by_${identifier}`,
      `update provider_callback earlier
          set due_at = least(earlier.due_at, to_timestamp($3::float8 / 1000))
         from provider_callback t
        where t.channel_id = $1 and t.event_id = $2
          and ${precedes(identifier)}
       returning earlier.event_id`,
      { wakes: [{ topic: callbacksDue, when: (rows) => rows.length > 0 }] },
    ),
  ]),
) as Record<Identifier, Statement<{ event_id: string }>>;

const ending = { key: ['channel_id', 'event_id'], openState: 'RECEIVED', endedAt: 'settled_at' } as const;

export const recordCallback = recordStatement(callbackTable, ending);
export const sweepSettled = sweepStatement(callbackTable, ending);
