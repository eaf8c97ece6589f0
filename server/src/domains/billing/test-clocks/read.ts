import type { Principal } from '../../../core/principal.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { readVisible } from '../../identity/tenants/read-visible.ts';
import { type ClockRow, findClock } from './statements.ts';

/** Reads a test clock that the caller may see. `field` is the input field that names it. */
export function readClock(id: number, principal: Principal, database: Database, field?: string): Promise<ClockRow> {
  return readVisible(database, findClock, { noun: 'clock', id, field }, principal);
}
