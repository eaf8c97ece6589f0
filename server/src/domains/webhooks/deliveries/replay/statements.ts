import { statement } from '../../../../platform/postgres/statement.ts';
import type { Topic } from '../../../../platform/postgres/topics.ts';
import { deliveriesDue, deliveryIdFrom, nearEvents } from '../../events/append-events.cte.ts';
import type { ReplayedState } from '../schema.ts';

/** Replays are due. */
export const replaysDue: Topic = 'replays';

export interface ReplayRow {
  tenant_id: number;
  id: string;
  endpoint_id: number;
  from_at: string;
  until_at: string;
  states: ReplayedState[];
  state: 'RUNNING' | 'DONE' | 'STOPPED';
  last_event_id: string;
  looked: number;
  enqueued: number;
  due_at: string;
  created_at: string;
  finished_at: string | null;
}

const columns = `r.tenant_id, r.id, r.endpoint_id, r.from_at, r.until_at, r.states, r.state, r.last_event_id, r.looked,
  r.enqueued, r.due_at, r.created_at, r.finished_at`;

/**
 * Begins a replay, unless one of the endpoint is running. Values: tenant, id, endpoint, user, from, until, states, the id
 * before the first event, now; times in ms.
 */
export const insertReplay = statement<ReplayRow>(
  'deliveries.insert_replay',
  `insert into webhook_replay as r (tenant_id, id, endpoint_id, user_id, from_at, until_at, states, last_event_id, due_at,
                                    created_at, updated_at)
   select $1, $2, $3, $4, to_timestamp($5::float8 / 1000), to_timestamp($6::float8 / 1000), $7, $8, now_at, now_at, now_at
     from (select to_timestamp($9::float8 / 1000) as now_at) as moment
   on conflict (endpoint_id) where state = 'RUNNING' do nothing
   returning ${columns}`,
  { wakes: [{ topic: replaysDue }] },
);

/** Values: the endpoint. */
export const findRunning = statement<ReplayRow>(
  'deliveries.find_running_replay',
  `select ${columns} from webhook_replay r where endpoint_id = $1 and state = 'RUNNING'`,
);

/** In whichever of these tenants it is. Values: tenants, id. */
export const findReplay = statement<ReplayRow>(
  'deliveries.find_replay',
  `select ${columns}
     from unnest($1::bigint[]) as seen (tenant_id)
     join webhook_replay r on r.tenant_id = seen.tenant_id and r.id = $2`,
);

/** Due replays, under a lease. Values: now, until when, how many at most, the lease. */
export const claimReplays = statement<{ tenant_id: number; id: string; endpoint_id: number }>(
  'deliveries.claim_replays',
  `with picked as materialized (
     select tenant_id, id from webhook_replay
      where state = 'RUNNING' and due_at <= to_timestamp($1::float8 / 1000)
        and (leased_until is null or leased_until <= to_timestamp($1::float8 / 1000))
      order by due_at limit $3 for update skip locked
   )
   update webhook_replay r
      set lease = $4, leased_until = to_timestamp($2::float8 / 1000)
     from picked
    where r.tenant_id = picked.tenant_id and r.id = picked.id
   returning r.tenant_id, r.id, r.endpoint_id`,
);

/** Gives a lease back. Values: tenant, id, lease. */
export const releaseReplay = statement(
  'deliveries.release_replay',
  'update webhook_replay set lease = null, leased_until = null where tenant_id = $1 and id = $2 and lease = $3',
);

/** Gives back whatever stands under these leases, after a claim whose answer never came. Value: leases. */
export const giveBackReplays = statement(
  'deliveries.give_back_replays',
  `update webhook_replay set lease = null, leased_until = null where state = 'RUNNING' and lease = any ($1::uuid[])`,
);

/** Still ours, and how many endpoints its tenant has. Values: tenant, id, lease. */
export const lockReplay = statement<ReplayRow & { endpoints: number }>(
  'deliveries.lock_replay',
  `select ${columns},
          (select count(*) from webhook_endpoint where tenant_id = $1 and state) as endpoints
     from webhook_replay r where tenant_id = $1 and id = $2 and lease = $3 and state = 'RUNNING' for update`,
);

/**
 * The next events of a replay, and a delivery for each that is to be sent again: of a type the endpoint asks for, whose
 * deliveries to it ended as asked, and of which none is under way or ended after the replay was asked for. So nothing is
 * sent twice by it, whatever else delivers meanwhile.
 *
 * Values: tenant, the event before the first, the id before which to end, how many events, endpoint, types, states, when
 * the replay was asked for and now, in ms.
 */
export const enqueueAgain = statement<{ looked: number; enqueued: number; last_event_id: string | null }>(
  'deliveries.enqueue_again',
  `with happened as materialized (
     select id, type from event
      where tenant_id = $1 and id > $2::uuid and id < $3::uuid order by id limit $4
   ), ends as materialized (
     select min(id::text)::uuid as first, max(id::text)::uuid as last from happened
   ), told as (
     select d.event_id,
            bool_or(d.finished_at is null or d.finished_at > to_timestamp($8::float8 / 1000)) as is_under_way,
            array_agg(d.state) as states,
            (array_agg(d.id order by d.created_at, d.id) filter (where d.replay_of is null))[1] as id
       from ends
       join delivery d on d.tenant_id = $1 and ${nearEvents('d.id', 'ends.first', 'ends.last')} and d.endpoint_id = $5
      group by d.event_id
   ), chosen as (
     select happened.id as event_id, told.id as replay_of
       from happened left join told on told.event_id = happened.id
      where happened.type = any ($6::text[])
        and told.is_under_way is not true
        and case when told.states is null then 'MISSING'
                 when 'SUCCEEDED' = any (told.states) then 'SUCCEEDED'
                 when 'FAILED' = any (told.states) then 'FAILED'
                 else 'CANCELLED' end = any ($7::text[])
   ), enqueued as (
     insert into delivery (tenant_id, id, event_id, endpoint_id, due_at, created_at, replay_of)
     select $1, ${deliveryIdFrom('event_id')}, event_id, $5, to_timestamp($9::float8 / 1000),
            to_timestamp($9::float8 / 1000), replay_of
       from chosen
     returning 1
   )
   select (select count(*) from happened) as looked, (select count(*) from enqueued) as enqueued,
          (select last from ends) as last_event_id`,
  { wakes: [{ topic: deliveriesDue, when: (rows) => rows.some(({ enqueued }) => enqueued > 0) }] },
);

/**
 * Notes how far a replay has come. Values: tenant, id, the state, the event after which to go on, how many more were looked
 * at and enqueued, when it is due again, until when its lease holds (null: it is given back), now; times in ms.
 */
export const advanceReplay = statement(
  'deliveries.advance_replay',
  `update webhook_replay
      set state = $3::text, last_event_id = $4, looked = looked + $5, enqueued = enqueued + $6,
          due_at = to_timestamp($7::float8 / 1000),
          lease = case when $8::float8 is not null then lease end,
          leased_until = to_timestamp($8::float8 / 1000),
          updated_at = to_timestamp($9::float8 / 1000),
          finished_at = case when $3::text <> 'RUNNING' then to_timestamp($9::float8 / 1000) end
    where tenant_id = $1 and id = $2`,
);
