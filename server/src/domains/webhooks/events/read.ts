import type { Static } from 'typebox';
import { notFound, Refusal } from '../../../core/errors.ts';
import { eventTypes, scopeOfEventType } from '../../../core/event-types.ts';
import { uuidOfPublicId } from '../../../core/id.ts';
import { seesMode } from '../../../core/livemode.ts';
import type { Principal } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { visibleTenants } from '../../identity/tenants/visible-tenants.ts';
import { recordOf } from './list.ts';
import type { eventDetail } from './schema.ts';
import { findEvent } from './statements.ts';

/** An event with the payload of its deliveries. Pings are not found: they report no change. */
export async function readEvent(
  database: Queryable,
  publicEventId: string,
  principal: Principal,
): Promise<Static<typeof eventDetail>> {
  const id = uuidOfPublicId('evt', publicEventId);
  const tenantIds = await visibleTenants(database, principal);
  const [row] = id === undefined ? [] : await database.run(findEvent, [tenantIds, id, eventTypes]);
  if (row === undefined || !seesMode(principal, row.livemode)) throw notFound('event', publicEventId);
  const scope = scopeOfEventType[row.type];
  if (!principal.scopes.has(scope)) {
    throw new Refusal('scope_missing', rule('scope_to_read', { eventType: row.type, scope }));
  }
  return { ...recordOf(row), payload: JSON.parse(row.body) };
}
