import { firstUuidAt } from '../../../core/id.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { type Statement, statement } from '../../../platform/postgres/statement.ts';

export interface DeliveryRetention {
  /** How long attempts are kept, with what was answered: `app.webhook.keep-attempts`. */
  attemptsMs: number;
  /** How long deliveries are kept once they are done; undefined: for ever. `app.webhook.keep-deliveries`. */
  deliveriesMs: number | undefined;
}

/** Rows in one go: each go is short, so that it holds nobody up. */
const rowsAtOnce = 5_000;

/**
 * By the primary key, tenant by tenant: a delivery's id begins with the time of its event, and no attempt is older than
 * that. So no index on the time of attempts is needed, which every delivery would pay for.
 */
const sweepAttempts = statement<{ swept: number }>(
  'deliveries.sweep_attempts',
  `with old as materialized (
     select attempt.* from tenant cross join lateral (
       select ctid as place from delivery_attempt
        where tenant_id = tenant.id and delivery_id < $1::uuid and attempted_at < to_timestamp($2::float8 / 1000)
        limit ${rowsAtOnce}
     ) as attempt limit ${rowsAtOnce}
   ), gone as (
     delete from delivery_attempt using old where delivery_attempt.ctid = old.place returning 1
   )
   select count(*) as swept from gone`,
);

const sweepDone = statement<{ swept: number }>(
  'deliveries.sweep_done',
  `with old as materialized (
     select delivery.* from tenant cross join lateral (
       select ctid as place from delivery
        where tenant_id = tenant.id and id < $1::uuid and finished_at < to_timestamp($2::float8 / 1000)
          and state <> 'OPEN'
        limit ${rowsAtOnce}
     ) as delivery limit ${rowsAtOnce}
   ), gone as (
     delete from delivery using old where delivery.ctid = old.place and delivery.state <> 'OPEN' returning 1
   )
   select count(*) as swept from gone`,
);

/** Written before anything is removed: from then on nobody misses it (`verify.ts`). */
const noteSwept = statement(
  'deliveries.note_swept',
  `insert into delivery_sweep as sweep (before_id) values ($1::uuid)
   on conflict (singleton) do update set before_id = greatest(sweep.before_id, excluded.before_id)`,
);

/**
 * Removes attempts, and deliveries that are done, whose time is over. Events stay: they are what happened, what is sent
 * again on demand, and the first answers of creates with an Idempotency-Key. Meant to run every hour or so.
 */
export async function sweepDeliveries(
  database: Queryable,
  nowMs: number,
  { attemptsMs, deliveriesMs = Number.POSITIVE_INFINITY }: DeliveryRetention,
): Promise<{ attempts: number; deliveries: number }> {
  if (deliveriesMs !== Number.POSITIVE_INFINITY) {
    await database.run(noteSwept, [firstUuidAt(Math.max(0, Math.floor(nowMs - deliveriesMs)))]);
  }
  return {
    // An attempt does not outlive its delivery.
    attempts: await sweep(database, sweepAttempts, nowMs - Math.min(attemptsMs, deliveriesMs)),
    deliveries: deliveriesMs === Number.POSITIVE_INFINITY ? 0 : await sweep(database, sweepDone, nowMs - deliveriesMs),
  };
}

async function sweep(database: Queryable, statement: Statement<{ swept: number }>, beforeMs: number): Promise<number> {
  const before = Math.max(0, Math.floor(beforeMs));
  let swept = 0;
  for (;;) {
    const [row] = await database.run(statement, [firstUuidAt(before), before]);
    const count = row?.swept ?? 0;
    swept += count;
    if (count < rowsAtOnce) return swept;
  }
}
