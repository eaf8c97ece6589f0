import type { Static } from 'typebox';
import { livemodeOfNew } from '../../../core/livemode.ts';
import type { Call } from '../../../platform/http/route.ts';
import { answerOnce, type IdempotentAnswer } from '../../../platform/postgres/idempotency-records.ts';
import { appendAudit } from '../../identity/audit/append.ts';
import type { BillingApp } from '../app.ts';
import { type ClockRecord, recordOf } from './record.ts';
import { parseClockTime, requireTestClocksOffered } from './rules.ts';
import type { clockInput } from './schema.ts';
import { type ClockRow, insertClock } from './statements.ts';

export async function createClock(
  { body: input, principal, idempotencyKey }: Call<Static<typeof clockInput>>,
  app: BillingApp,
): Promise<IdempotentAnswer<ClockRecord>> {
  const { name, nowTime } = input;
  requireTestClocksOffered(app);
  const realMs = app.clock();
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
  return answerOnce(app.database, request, async (transaction) => {
    const [row] = (await transaction.run(insertClock, [tenantId, name, nowMs, realMs, livemode])) as [ClockRow];
    const after = recordOf(row);
    await appendAudit(transaction, principal, { action: 'clock.create', tenantId, recordId: row.id, after });
    return after;
  });
}
