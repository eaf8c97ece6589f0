import { statement } from '../../../../platform/postgres/statement.ts';

/**
 * Records what became of claimed deliveries. Values, one array a column: id, when it ended, when to try again (null: not),
 * both in ms, how long the try took in ms (null: nothing was sent); under which holding it was claimed and what came of
 * it, as places in the arrays that follow. Holdings: tenant, lease. Ends: new state, status, outcome, resent, address,
 * headers as JSON, body. Most results of a batch have the same few: to read thirteen full arrays took a quarter of the
 * statement's instructions.
 *
 * The lease is the fence: a row whose lease was taken over since is left alone, and its neighbours are still written.
 * Only an open delivery has one. Each row is looked up by its key (`limit` sees to that): analysed at a moment when all its
 * rows were invisible, the table seemed empty, and a join read all of it instead, 6 s for 64.
 */
export const recordResults = statement<{ applied: number }>(
  'deliveries.record_results',
  `with result as (
     select id, ended_ms, due_ms, duration_ms, ending,
            ($7::bigint[])[holding] as tenant_id, ($8::uuid[])[holding] as lease
       from unnest($1::uuid[], $2::float8[], $3::float8[], $4::int[], $5::int[], $6::int[])
         as result (id, ended_ms, due_ms, duration_ms, holding, ending)
   ), settled as (
     update delivery
        set state = ($9::text[])[ending],
            attempts = attempts + (duration_ms is not null)::int,
            due_at = coalesce(to_timestamp(due_ms / 1000), due_at),
            lease = null,
            leased_until = null,
            aside = false,
            finished_at = case when ($9::text[])[ending] <> 'OPEN' then to_timestamp(ended_ms / 1000) end
       from result
       cross join lateral (
         select ctid as place from delivery
          where delivery.tenant_id = result.tenant_id and delivery.id = result.id limit 1
       ) as found
      where delivery.ctid = found.place and delivery.lease = result.lease
     returning delivery.tenant_id, delivery.id, delivery.attempts, ended_ms, duration_ms, ending
   ), tried as (
     insert into delivery_attempt (tenant_id, delivery_id, number, attempted_at, duration_ms, status, outcome, resent,
                                   address, response_headers, response_body)
     select tenant_id, id, attempts, to_timestamp((ended_ms - duration_ms) / 1000), duration_ms,
            ($10::smallint[])[ending], ($11::text[])[ending], ($12::boolean[])[ending], ($13::text[])[ending],
            ($14::text[])[ending]::json, ($15::bytea[])[ending]
       from settled
      where duration_ms is not null
   )
   select count(*) as applied from settled`,
);
