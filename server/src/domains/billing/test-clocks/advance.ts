import type { Static } from 'typebox';
import { dayMs, secondMs } from '../../../core/clock.ts';
import { invalid, Refusal } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { appendAudit } from '../../identity/audit/append.ts';
import type { BillingApp } from '../app.ts';
import { readClock } from './read.ts';
import { parseClockTime, requireTestClocksOffered } from './rules.ts';
import type { clockAdvance } from './schema.ts';
import { type ClockRow, findClock, startAdvance } from './statements.ts';

const maxAdvanceMs = 3_660 * dayMs;
/** How long a request waits for the clock to arrive. */
const maxWaitMs = 15 * secondMs;
const pollMs = 10;

/**
 * Advances a test clock: all work that is due up to `toTime` is done in order. Returns when the clock has arrived, or
 * after 15 s while it is still ADVANCING.
 */
export async function advanceClock(
  { body: { id, toTime }, principal }: Call<Static<typeof clockAdvance>>,
  app: BillingApp,
): Promise<ClockRow> {
  requireTestClocksOffered(app);
  const { database, clock } = app;
  const row = await readClock(id, principal, database);
  const toMs = parseClockTime(toTime, 'toTime');
  const nowMs = Date.parse(row.now_at);
  if (toMs < nowMs) throw invalid('toTime', rule('clock_back', { time: row.now_at }));
  if (toMs - nowMs > maxAdvanceMs) throw invalid('toTime', rule('clock_ten_years'));
  const started = await database.transaction(async (transaction) => {
    const [advancing] = await transaction.run(startAdvance, [row.tenant_id, id, toMs, clock()]);
    if (advancing === undefined) {
      throw new Refusal('clock_under_way', 'This clock is already advancing: wait until it has arrived.', {
        field: 'id',
      });
    }
    await appendAudit(transaction, principal, {
      action: 'clock.advance',
      tenantId: row.tenant_id,
      recordId: id,
      details: { from: row.now_at, to: new Date(toMs).toISOString() },
    });
    return advancing;
  });
  return waitForArrival(database, started);
}

async function waitForArrival(database: Database, started: ClockRow): Promise<ClockRow> {
  const deadline = performance.now() + maxWaitMs;
  for (;;) {
    const [row] = (await database.run(findClock, [[started.tenant_id], started.id])) as [ClockRow];
    if (row.target_at === null || performance.now() > deadline) return row;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
