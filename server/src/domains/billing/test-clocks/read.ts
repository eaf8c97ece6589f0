import { notFound } from '../../../core/errors.ts';
import { seesMode } from '../../../core/livemode.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { visibleTenants } from '../../identity/tenants/visible-tenants.ts';
import { type ClockRow, findClock } from './statements.ts';

/** Reads a test clock that the caller may see. Unknown ids, and those of another tenant or of the
 * other mode, get the same refusal. */
export async function readClock(id: number, principal: Principal, database: Database, field = 'id'): Promise<ClockRow> {
  const [row] = await database.run(findClock, [await visibleTenants(database, principal), id]);
  if (row === undefined || !seesMode(principal, row.livemode)) throw notFound('clock', id, field);
  return row;
}
