import { notFound, Refusal } from '../../../core/errors.ts';
import { eventTypes, scopeOfEventType } from '../../../core/event-types.ts';
import { uuidOfPublicId } from '../../../core/id.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { tenantsSeen } from '../../identity/tenants/visible-tenants.ts';
import { listedOf } from './list.ts';
import { findEvent } from './statements.ts';

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
