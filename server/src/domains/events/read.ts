import type { Queryable } from '../../platform/postgres/database.ts';
import { notFound, Refusal } from '../../vocabulary/errors.ts';
import { eventTypes, scopeOfEventType } from '../../vocabulary/event-types.ts';
import { uuidOfPublicId } from '../../vocabulary/id.ts';
import type { Principal } from '../../vocabulary/principal.ts';
import { tenantsSeen } from '../tenants/seen.ts';
import { listedOf } from './list.ts';
import { findEvent } from './sql.ts';

/** An event as JSON, its payload letter by letter as it is sent. Pings are not among them: nothing happened. */
export async function readEvent(database: Queryable, text: string, principal: Principal): Promise<string> {
  const id = uuidOfPublicId('evt', text);
  const tenantIds = await tenantsSeen(database, principal);
  const [row] = id === undefined ? [] : await database.run(findEvent, [tenantIds, id, eventTypes]);
  if (row === undefined) throw notFound('event', text);
  const scope = scopeOfEventType[row.type];
  if (!principal.scopes.has(scope)) {
    throw new Refusal('scope_missing', `To read ${row.type} this needs the scope ${scope}.`, { details: { scope } });
  }
  return `${JSON.stringify(listedOf(row)).slice(0, -1)},"payload":${row.body}}`;
}
