import type { Static } from 'typebox';
import { notFound } from '../../../../core/errors.ts';
import { publicId, uuidOfPublicId, uuidTimeMs } from '../../../../core/id.ts';
import type { Principal } from '../../../../core/principal.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { visibleTenants } from '../../../identity/tenants/visible-tenants.ts';
import { findManagedEndpoint } from '../../endpoints/managed-endpoint.ts';
import type { replayRecord } from '../schema.ts';
import { findReplay, type ReplayRow } from './statements.ts';

/** The replay with this public id and its progress, if the caller may manage its endpoint. */
export async function readReplay(
  database: Queryable,
  text: string,
  principal: Principal,
): Promise<Static<typeof replayRecord>> {
  const id = uuidOfPublicId('rpl', text);
  const [row] = id === undefined ? [] : await database.run(findReplay, [await visibleTenants(database, principal), id]);
  if (row === undefined) throw notFound('replay', text);
  await findManagedEndpoint(database, row.endpoint_id, principal);
  return recordOf(row);
}

function recordOf(row: ReplayRow): Static<typeof replayRecord> {
  return {
    id: publicId('rpl', row.id),
    endpointId: row.endpoint_id,
    since: row.from_at,
    until: row.until_at,
    states: row.states,
    state: row.state,
    reachedTime: row.state === 'DONE' ? row.until_at : new Date(uuidTimeMs(row.last_event_id)).toISOString(),
    eventCount: row.looked,
    deliveryCount: row.enqueued,
    createdTime: row.created_at,
    finishedTime: row.finished_at,
  };
}
