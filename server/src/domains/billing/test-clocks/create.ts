import type { Static } from 'typebox';
import type { Clock } from '../../../core/clock.ts';
import { livemodeOfNew } from '../../../core/livemode.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { answerOnce, type IdempotentAnswer } from '../../../platform/postgres/idempotency-records.ts';
import { appendAudit } from '../../identity/audit/append.ts';
import { type ClockRecord, recordOf } from './record.ts';
import { parseClockTime, requireTestClocksOffered } from './rules.ts';
import type { clockInput } from './schema.ts';
import { type ClockRow, insertClock } from './statements.ts';

export interface ClockDeps {
  database: Database;
  /** The real time. */
  clock: Clock;
  /** Whether this deployment offers test clocks. */
  offered: boolean;
}

export async function createClock(
  input: Static<typeof clockInput>,
  principal: Principal,
  deps: ClockDeps,
  idempotencyKey?: string,
): Promise<IdempotentAnswer<ClockRecord>> {
  const { name, nowTime } = input;
  requireTestClocksOffered(deps);
  const realMs = deps.clock();
  const nowMs = nowTime === undefined ? realMs : parseClockTime(nowTime, 'nowTime');
  const { tenantId } = principal;
  const livemode = livemodeOfNew(principal, input.livemode ?? false);
  const request = {
    tenantId,
    path: '/api/clock/create',
    key: idempotencyKey,
    input: { ...input, mode: principal.livemode ?? null },
    nowMs: realMs,
  };
  return answerOnce(deps.database, request, async (transaction) => {
    const [row] = (await transaction.run(insertClock, [tenantId, name, nowMs, realMs, livemode])) as [ClockRow];
    const after = recordOf(row);
    await appendAudit(transaction, principal, { action: 'clock.create', tenantId, recordId: row.id, after });
    return after;
  });
}
