import { statement } from '../../../platform/postgres/statement.ts';

/**
 * Records the results of claimed deliveries. Values, one array each: id; end of the attempt in ms; its duration in ms
 * (null: nothing was sent); index of what the result shares with others in the arrays that follow: tenant, lease, new
 * state, next attempt in ms (null: none), status, outcome, resent, address, headers as JSON, body. Most results of a
 * batch share these: thirteen full arrays took a quarter of the statement's instructions.
 *
 * The lease is the fence: a delivery whose lease has been taken over is left alone, and the others of the batch are
 * still written. Only open deliveries have a lease. The conditions are written so that only a lookup by key for each
 * result serves them: when the table was analysed while none of its rows were visible, the planner took it for empty,
 * and a join on equal keys or leases read all of it, 6 s for 64 results. Finding the place of each row first and then
 * the row took a tenth more.
 */
export const recordResults = statement<{ applied: number }>(
  'deliveries.record_results',
  `with result as (
     select id, ended_ms, duration_ms, i, ($5::bigint[])[i] as tenant_id, ($6::uuid[])[i] as lease
       from unnest($1::uuid[], $2::float8[], $3::int[], $4::int[]) as result (id, ended_ms, duration_ms, i)
   ), settled as (
     update delivery
        set state = ($7::text[])[i],
            attempts = attempts + (duration_ms is not null)::int,
            due_at = coalesce(to_timestamp(($8::float8[])[i] / 1000), due_at),
            lease = null,
            leased_until = null,
            finished_at = case when ($7::text[])[i] <> 'OPEN' then to_timestamp(ended_ms / 1000) end
       from result
      where (delivery.tenant_id, delivery.id) >= (result.tenant_id, result.id)
        and (delivery.tenant_id, delivery.id) <= (result.tenant_id, result.id)
        and (delivery.lease = result.lease) is true
     returning delivery.tenant_id, delivery.id, delivery.attempts, ended_ms, duration_ms, i
   ), tried as (
     insert into delivery_attempt (tenant_id, delivery_id, number, attempted_at, duration_ms, status, outcome, resent,
                                   address, response_headers, response_body)
     select tenant_id, id, attempts, to_timestamp((ended_ms - duration_ms) / 1000), duration_ms, ($9::smallint[])[i],
            ($10::text[])[i], ($11::boolean[])[i], ($12::text[])[i], ($13::text[]::json[])[i], ($14::bytea[])[i]
       from settled
      where duration_ms is not null
   )
   select count(*) as applied from settled`,
);
