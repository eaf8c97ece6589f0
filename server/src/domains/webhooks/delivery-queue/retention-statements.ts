import { statement } from '../../../platform/postgres/statement.ts';

/** Rows deleted by one statement at most: short statements do not block others for long. */
export const sweepBatchSize = 5_000;

/**
 * Deletes old attempts by the primary key, tenant by tenant: a delivery's id begins with the time of its event, and no
 * attempt is older than that. So attempts need no index on their time, which every delivery would pay for. Values: the
 * first delivery id of the time before which attempts are deleted, and that time in ms.
 */
export const sweepAttempts = statement<{ swept: number }>(
  'deliveries.sweep_attempts',
  `with old as materialized (
     select attempt.* from tenant cross join lateral (
       select ctid as place from delivery_attempt
        where tenant_id = tenant.id and delivery_id < $1::uuid and attempted_at < to_timestamp($2::float8 / 1000)
        limit ${sweepBatchSize}
     ) as attempt limit ${sweepBatchSize}
   ), gone as (
     delete from delivery_attempt using old where delivery_attempt.ctid = old.place returning 1
   )
   select count(*) as swept from gone`,
);

/** Deletes finished deliveries. The same values. */
export const sweepFinished = statement<{ swept: number }>(
  'deliveries.sweep_finished',
  `with old as materialized (
     select delivery.* from tenant cross join lateral (
       select ctid as place from delivery
        where tenant_id = tenant.id and id < $1::uuid and finished_at < to_timestamp($2::float8 / 1000)
          and state <> 'OPEN'
        limit ${sweepBatchSize}
     ) as delivery limit ${sweepBatchSize}
   ), gone as (
     delete from delivery using old where delivery.ctid = old.place and delivery.state <> 'OPEN' returning 1
   )
   select count(*) as swept from gone`,
);

/** Records up to which id deliveries may be missing, for `npm run verify`. Value: that id. */
export const recordSweep = statement(
  'deliveries.record_sweep',
  `insert into delivery_sweep as sweep (before_id) values ($1::uuid)
   on conflict (singleton) do update set before_id = greatest(sweep.before_id, excluded.before_id)`,
);

/** Records after which time deliveries have all of their attempts, for `npm run verify`. Value: that time in ms. */
export const recordAttemptSweep = statement(
  'deliveries.record_attempt_sweep',
  `update delivery_sweep
      set attempts_complete_after = greatest(attempts_complete_after, to_timestamp($1::float8 / 1000))`,
);
