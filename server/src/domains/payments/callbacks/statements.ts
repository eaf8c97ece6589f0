import { type Statement, statement } from '../../../platform/postgres/statement.ts';
import type { Topic } from '../../../platform/postgres/topics.ts';
import type { CallbackContent } from './rules.ts';

/** Provider callbacks are due to be settled. */
export const callbacksDue: Topic = 'callbacks';

/**
 * Keeps a callback: as RECEIVED, or at once as IGNORED where it has no notice. Nothing comes back of one that stands
 * already. Values: channel, the provider's id of it, ours, now in ms, the notice as JSON, the body sealed.
 */
export const keepCallback = statement<{ id: string }>(
  'callbacks.keep',
  `with given as (
     select to_timestamp($4::float8 / 1000) as at, $5::json as notice
   )
   insert into provider_callback (channel_id, event_id, id, received_at, notice, state, due_at, settled_at,
                                  body_sealed)
   select $1, $2, $3, at, notice, case when notice is null then 'IGNORED' else 'RECEIVED' end, at,
          case when notice is null then at end, $6
     from given
   on conflict do nothing
   returning id`,
  { wakes: [{ topic: callbacksDue, when: (rows) => rows.length > 0 }] },
);

export interface DueCallback {
  channel_id: number;
  event_id: string;
  id: string;
  notice: CallbackContent;
  /** How often nothing was found for it before. */
  tries: number;
}

/** `$1` is now in ms. */
const isDue = `state = 'RECEIVED' and due_at <= to_timestamp($1::float8 / 1000)
        and (leased_until is null or leased_until <= to_timestamp($1::float8 / 1000))`;

/** For a lookout: whether any callback is due. */
export const callbackDue = `select from provider_callback where ${isDue}`;

/** An operation is named by our key or by the provider's reference; a callback bears one of them or both. */
const names = ['key', 'reference'] as const;
export type NoticeName = (typeof names)[number];

/** A callback `earlier` that was received before `c` and names the same operation. */
const precedes = (name: NoticeName) => `earlier.state = 'RECEIVED' and earlier.channel_id = c.channel_id
          and (earlier.notice ->> '${name}') = (c.notice ->> '${name}') and earlier.position < c.position`;

/**
 * Nothing that is still to be settled stands before `c` in the queue of its operation, whoever holds it. What named
 * nothing known (`tries`) waits by itself and holds up nobody; when the operation is found after all, it is called up
 * (`callUpEarlier`). `offset 0` keeps the planner from making a join of a look by index.
 */
const isNext = names
  .map(
    (name) => `not exists (
          select from provider_callback earlier
           where ${precedes(name)} and (earlier.tries = 0 or earlier.lease is not null)
          offset 0)`,
  )
  .join('\n        and ');

/**
 * Takes due callbacks under a lease, of each operation the first one received. Values: now and the lease's end in ms, how
 * many at most, the lease's token.
 */
export const claimCallbacks = statement<DueCallback>(
  'callbacks.claim',
  `with due as materialized (
     select channel_id, event_id from provider_callback c
      where ${isDue}
        and ${isNext}
      order by due_at
      limit $3
        for update skip locked
   )
   update provider_callback c
      set lease = $4, leased_until = to_timestamp($2::float8 / 1000)
     from due
    where c.channel_id = due.channel_id and c.event_id = due.event_id
   returning c.channel_id, c.event_id, c.id, c.notice, c.tries`,
);

/**
 * Makes due what was received before a callback, names the same operation by the same name, and waits because nothing was
 * found for it at the time. Values: the callback's channel and id, now in ms.
 */
export const callUpEarlier = Object.fromEntries(
  names.map((name) => [
    name,
    statement<{ event_id: string }>(
      `callbacks.call_up_by_${name}`,
      `update provider_callback earlier
          set due_at = least(earlier.due_at, to_timestamp($3::float8 / 1000))
         from provider_callback c
        where c.channel_id = $1 and c.event_id = $2
          and ${precedes(name)}
       returning earlier.event_id`,
    ),
  ]),
) as Record<NoticeName, Statement<{ event_id: string }>>;

/**
 * What became of a callback, under the lease it was settled with. Values: channel, the provider's id, lease, state, tries,
 * when it is due again and now, both in ms.
 */
export const recordCallback = statement(
  'callbacks.record',
  `update provider_callback
      set state = $4, tries = $5, due_at = to_timestamp($6::float8 / 1000), lease = null, leased_until = null,
          settled_at = case when $4 <> 'RECEIVED' then to_timestamp($7::float8 / 1000) end
    where channel_id = $1 and event_id = $2 and lease = $3`,
);

/** Gives leases back, so that what was claimed and not begun is due again at once. Values: channels, ids, leases. */
export const releaseCallbacks = statement(
  'callbacks.release',
  `update provider_callback c
      set lease = null, leased_until = null
     from unnest($1::bigint[], $2::text[], $3::uuid[]) as given (channel_id, event_id, lease)
    where c.channel_id = given.channel_id and c.event_id = given.event_id and c.lease = given.lease`,
);

/** Gives back whatever stands under these leases, after a claim whose answer never came. Value: leases. */
export const giveBackCallbacks = statement(
  'callbacks.give_back',
  `update provider_callback set lease = null, leased_until = null where state = 'RECEIVED' and lease = any ($1::uuid[])`,
);

/**
 * After the database's clock was set back: what is due or leased further ahead than it can be. Values: now, how long a lease
 * is, the slack, in ms; the waits after each try, in ms.
 */
export const bringForward = statement(
  'callbacks.bring_forward',
  `update provider_callback
      set leased_until = case when lease is not null
                             then least(leased_until, to_timestamp(($1::float8 + $2::float8) / 1000)) end,
          due_at = least(due_at, to_timestamp(($1::float8 + coalesce(($4::float8[])[tries], 0)) / 1000))
    where state = 'RECEIVED'
      and (leased_until > to_timestamp(($1::float8 + $2::float8 + $3::float8) / 1000)
           or due_at > to_timestamp(($1::float8 + coalesce(($4::float8[])[tries], 0) + $3::float8) / 1000))`,
);

/** For a node that knows itself alone with the database: whoever held these leases is dead. */
export const freeLeases = statement(
  'callbacks.free_leases',
  `update provider_callback set lease = null, leased_until = null where state = 'RECEIVED' and lease is not null`,
);

/** Values: those settled before this moment, in ms; how many at most. */
export const sweepSettled = statement<{ id: string }>(
  'callbacks.sweep',
  `with old as materialized (
     select channel_id, event_id from provider_callback
      where state <> 'RECEIVED' and settled_at < to_timestamp($1::float8 / 1000)
      order by settled_at
      limit $2
   )
   delete from provider_callback c
    using old
    where c.channel_id = old.channel_id and c.event_id = old.event_id
   returning c.id`,
);
