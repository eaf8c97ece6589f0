import { claimStatement, leasedTable } from '../../../../platform/jobs/lease-statements.ts';
import { statement, type Topic } from '../../../../platform/postgres/statement.ts';
import { belongsToEvents, deliveriesDue, enqueueDeliveries } from '../../delivery-queue/enqueue.cte.ts';
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
 * Inserts a replay unless one of the endpoint is running. Values: tenant, id, endpoint, user, from, until, states, the
 * id before the first event, now; times in ms.
 */
export const insertReplay = statement<ReplayRow>(
  'deliveries.insert_replay',
  `insert into webhook_replay as r (tenant_id, id, endpoint_id, user_id, from_at, until_at, states, last_event_id,
       due_at,
                                    created_at, updated_at)
   select $1, $2, $3, $4, to_timestamp($5::float8 / 1000), to_timestamp($6::float8 / 1000), $7, $8, now_at, now_at,
       now_at
     from (select to_timestamp($9::float8 / 1000) as now_at) as moment
   on conflict (endpoint_id) where state = 'RUNNING' do nothing
   returning ${columns}`,
  { wakes: [{ topic: replaysDue }] },
);

/** Serializes the replays that a tenant starts, so that no two of them run at a time. Values: tenant. */
export const lockReplays = statement('deliveries.lock_replays', 'select from tenant where id = $1 for no key update');

/** A running replay of a tenant, that of the endpoint before others. Values: tenant, endpoint. */
export const findRunning = statement<ReplayRow>(
  'deliveries.find_running_replay',
  `select ${columns} from webhook_replay r where tenant_id = $1 and state = 'RUNNING'
    order by endpoint_id <> $2, created_at limit 1`,
);

/** Finds a replay in any of the given tenants. Values: tenants, id. */
export const findReplay = statement<ReplayRow>(
  'deliveries.find_replay',
  `select ${columns}
     from unnest($1::bigint[]) as seen (tenant_id)
     join webhook_replay r on r.tenant_id = seen.tenant_id and r.id = $2`,
);

/** A replay is due at most 15 s from now, and its lease is 30 s: `replay/worker.ts`. */
export const replayTable = leasedTable({
  table: 'webhook_replay',
  name: 'replays',
  open: `state = 'RUNNING'`,
  waitMs: '15000',
});

/** For the due-work poller: whether any replay is due. Value: now in ms. */
export const replayDue = `select from webhook_replay where ${replayTable.isDue}`;

export interface DueReplay {
  tenant_id: number;
  id: string;
  endpoint_id: number;
}

export const claimReplays = claimStatement<DueReplay>(replayTable, {
  key: ['tenant_id', 'id'],
  returning: ['tenant_id', 'id', 'endpoint_id'],
});

/** How many deliveries to the endpoint are due. Values: endpoint, now in ms, the number at which to stop counting. */
export const countDue = statement<{ count: number }>(
  'deliveries.count_due',
  `select count(*) from (
     select from delivery
      where state = 'OPEN' and endpoint_id = $1 and due_at <= to_timestamp($2::float8 / 1000)
      order by due_at limit $3
   ) as due`,
);

/**
 * Locks a replay that is still under this lease, and counts its tenant's active endpoints. Values: tenant, id, lease.
 */
export const lockReplay = statement<ReplayRow & { endpoints: number }>(
  'deliveries.claim_replays',
  `select ${columns},
          (select count(*) from webhook_endpoint where tenant_id = $1 and state) as endpoints
     from webhook_replay r where tenant_id = $1 and id = $2 and lease = $3 and state = 'RUNNING' for update`,
);

/**
 * Examines the next events of a replay and enqueues a delivery for each event of a requested type whose deliveries to
 * the endpoint are in a requested state. It skips events with a delivery that is open or ended after the replay was
 * created, so that a replay sends nothing twice, whatever else is delivered meanwhile.
 *
 * Values: tenant, the event before the first, the id before which to end, how many events, endpoint, types, states,
 * when the replay was created and now, in ms; the endpoint's mode.
 */
export const enqueueReplayed = statement<{ looked: number; enqueued: number; last_event_id: string | null }>(
  'deliveries.enqueue_again',
  `with examined as materialized (
     select id, type, livemode from event
      where tenant_id = $1 and id > $2::uuid and id < $3::uuid order by id limit $4
   ), ends as materialized (
     select min(id::text)::uuid as first, max(id::text)::uuid as last from examined
   ), existing as (
     select d.event_id,
            bool_or(d.finished_at is null or d.finished_at > to_timestamp($8::float8 / 1000)) as blocks_replay,
            array_agg(d.state) as states,
            (array_agg(d.id order by d.created_at, d.id) filter (where d.replay_of is null))[1] as id
       from ends
       join delivery d on d.tenant_id = $1 and ${belongsToEvents('d.id', 'ends.first', 'ends.last')}
           and d.endpoint_id = $5
      group by d.event_id
   ), chosen as (
     select examined.id as event_id, existing.id as replay_of
       from examined left join existing on existing.event_id = examined.id
      where examined.type = any ($6::text[]) and examined.livemode = $10::boolean
        and existing.blocks_replay is not true
        and case when existing.states is null then 'MISSING'
                 when 'SUCCEEDED' = any (existing.states) then 'SUCCEEDED'
                 when 'FAILED' = any (existing.states) then 'FAILED'
                 else 'CANCELLED' end = any ($7::text[])
   ), enqueued as (
     ${enqueueDeliveries(
       {
         tenantId: '$1',
         eventId: 'event_id',
         endpointId: '$5',
         createdAt: 'to_timestamp($9::float8 / 1000)',
         replayOf: 'replay_of',
       },
       'chosen',
     )}
     returning 1
   )
   select (select count(*) from examined) as looked, (select count(*) from enqueued) as enqueued,
          (select last from ends) as last_event_id`,
  { wakes: [{ topic: deliveriesDue, when: (rows) => rows.some(({ enqueued }) => enqueued > 0) }] },
);

/**
 * Records the progress of a replay. Values: tenant, id, new state, the last event examined, how many more events were
 * examined and deliveries enqueued, when it is due again, the end of its lease (null: release it), now; times in ms.
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
