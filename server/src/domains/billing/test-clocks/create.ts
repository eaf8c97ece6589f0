import type { Static } from 'typebox';
import type { Clock } from '../../../core/clock.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Database } from '../../../platform/postgres/database.ts';
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
