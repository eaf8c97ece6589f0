import { hourMs } from '../../../core/clock.ts';
import { firstUuidAt } from '../../../core/id.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { Statement } from '../../../platform/postgres/statement.ts';
import {
  recordAttemptSweep,
  recordSweep,
  sweepAttempts,
  sweepBatchSize,
  sweepFinished,
} from '../delivery-queue/retention-statements.ts';

export interface DeliveryRetention {
  /** How long attempts are kept, with their answers: `app.webhook.keep-attempts`. */
  attemptsMs: number;
  /** How long finished deliveries are kept: `app.webhook.keep-deliveries`. undefined: for ever. */
  deliveriesMs: number | undefined;
}

/** The end of an attempt, which is that of its delivery, is later than its beginning by less than this. */
const longestAttemptMs = hourMs;

/**
 * Deletes attempts and finished deliveries that are older than their retention. Events stay: replays send them again,
 * and they are the answers to repeated creates with the same Idempotency-Key.
 */
export async function sweepDeliveries(
  database: Queryable,
  nowMs: number,
  { attemptsMs, deliveriesMs = Number.POSITIVE_INFINITY }: DeliveryRetention,
): Promise<{ attempts: number; deliveries: number }> {
  if (deliveriesMs !== Number.POSITIVE_INFINITY) {
    // Before anything is deleted, so that the integrity check never misses a delivery.
    await database.run(recordSweep, [firstUuidAt(Math.max(0, Math.floor(nowMs - deliveriesMs)))]);
  }
  // An attempt does not outlive its delivery.
  const attemptsBeforeMs = nowMs - Math.min(attemptsMs, deliveriesMs);
  await database.run(recordAttemptSweep, [Math.max(0, attemptsBeforeMs + longestAttemptMs)]);
  return {
    attempts: await sweep(database, sweepAttempts, attemptsBeforeMs),
    deliveries:
      deliveriesMs === Number.POSITIVE_INFINITY ? 0 : await sweep(database, sweepFinished, nowMs - deliveriesMs),
  };
}

async function sweep(database: Queryable, statement: Statement<{ swept: number }>, beforeMs: number): Promise<number> {
  const before = Math.max(0, Math.floor(beforeMs));
  let swept = 0;
  for (;;) {
    const [row] = await database.run(statement, [firstUuidAt(before), before]);
    const count = row?.swept ?? 0;
    swept += count;
    if (count < sweepBatchSize) return swept;
  }
}
