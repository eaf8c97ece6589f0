import type { Static } from 'typebox';
import { type Clock, dayMs, secondMs } from '../../../core/clock.ts';
import { invalid, notFound, Refusal } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { tenantsSeen } from '../../identity/tenants/visible-tenants.ts';
import type { clockAdvance, clockInput } from './schema.ts';
import { type ClockRow, findClock, insertClock, startAdvance } from './statements.ts';

export interface ClockDeps {
  database: Database;
  clock: Clock;
  /** Test clocks are of STANDALONE mode alone: where money is real, time is. */
  offered: boolean;
}

const longestStepMs = 3_660 * dayMs;
/** How long an advance is waited for, until it is answered ADVANCING. */
const patienceMs = 15 * secondMs;
const lookEveryMs = 10;

/** Refused where test clocks are not offered. */
export function requireTestClocksOffered({ offered }: Pick<ClockDeps, 'offered'>, field?: string): void {
  if (offered) return;
  throw new Refusal('clocks_not_offered', 'Test clocks are offered in STANDALONE mode alone.', field ? { field } : {});
}

export async function createClock(
  { name, nowTime }: Static<typeof clockInput>,
  { tenantId }: Principal,
  deps: ClockDeps,
): Promise<ClockRow> {
  requireTestClocksOffered(deps);
  const realMs = deps.clock();
  const nowMs = nowTime === undefined ? realMs : parseClockTime(nowTime, 'nowTime');
  const [row] = await deps.database.run(insertClock, [tenantId, name, nowMs, realMs]);
  return row as ClockRow;
}

/**
 * Moves a clock forward, from one due moment to the next: everything that is due up to `toTime` happens in its order. Answers
 * when it has arrived; where that takes longer than 15 s, while it is still on its way (ADVANCING).
 */
export async function advanceClock(
  { id, toTime }: Static<typeof clockAdvance>,
  principal: Principal,
  deps: ClockDeps,
): Promise<ClockRow> {
  requireTestClocksOffered(deps);
  const { database, clock } = deps;
  const row = await readClock(id, principal, database);
  const toMs = parseClockTime(toTime, 'toTime');
  const nowMs = Date.parse(row.now_at);
  if (toMs < nowMs) throw invalid('toTime', `toTime must not be before ${row.now_at}: a clock only goes forward.`);
  if (toMs - nowMs > longestStepMs) throw invalid('toTime', 'toTime must be at most ten years after the clock.');
  const [sent] = await database.run(startAdvance, [row.tenant_id, id, toMs, clock()]);
  if (sent === undefined) {
    throw new Refusal('clock_under_way', 'This clock is on its way already: wait until it has arrived.', {
      field: 'id',
    });
  }
  return waitForArrival(database, sent);
}

export async function readClock(id: number, principal: Principal, database: Database, field = 'id'): Promise<ClockRow> {
  const [row] = await database.run(findClock, [await tenantsSeen(database, principal), id]);
  if (row === undefined) throw notFound('clock', id, field);
  return row;
}

async function waitForArrival(database: Database, sent: ClockRow): Promise<ClockRow> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const [row] = (await database.run(findClock, [[sent.tenant_id], sent.id])) as [ClockRow];
    if (row.target_at === null || performance.now() > deadline) return row;
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}

/** A time that a clock can show. */
function parseClockTime(text: string, field: string): number {
  const atMs = Date.parse(text);
  if (Number.isNaN(atMs) || atMs < 0 || atMs > latestMs) {
    throw invalid(field, `${field} must be a time of ISO 8601 between 1970 and 2200.`);
  }
  return atMs;
}

/**
 * Statements take times as seconds in a double. That is exact to the microsecond until 2242; beyond, what is due at a moment
 * may seem to be due just after it, and a clock that waits for it would wait for ever.
 */
const latestMs = Date.UTC(2200, 0, 1);
