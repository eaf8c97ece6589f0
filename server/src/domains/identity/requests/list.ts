import type { Static } from 'typebox';
import { timeRangeOf } from '../../../core/days.ts';
import { notFound } from '../../../core/errors.ts';
import { leastUuidAt, publicId, uuidOfPublicId, uuidTimeMs } from '../../../core/id.ts';
import type { Principal } from '../../../core/principal.ts';
import { type CursorList, filtersOf, indexFor, readSlice } from '../../../platform/lists/list.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { IdentityApp } from '../app.ts';
import { defineList, type ListRequest } from '../tenants/define-list.ts';
import { tenantOfRow, visibleTenants } from '../tenants/visible-tenants.ts';
import { requestFilters, statements } from './list-statements.ts';
import type { listedRequest, requestListQuery, requestRecord } from './schema.ts';
import { findRequest, type RequestRow } from './statements.ts';

type Query = Static<typeof requestListQuery>;
type Record = Static<typeof requestRecord>;

export const listRequests = defineList<Query, RequestRow, Static<typeof listedRequest>, IdentityApp>({
  async find(request, app) {
    await app.requestRecorder.flush();
    return requestsOf(request, app.listDatabase);
  },
  listedAs: ({ query: { fields = '' }, principal }) => {
    const wanted = new Set(fields.split(','));
    return (row) => {
      const { address, userAgent, idempotencyKey, error, ...listed } = recordOf(row, principal);
      const optional = Object.entries({ address, userAgent, idempotencyKey, error });
      return { ...listed, ...Object.fromEntries(optional.filter(([name]) => wanted.has(name))) };
    };
  },
});

function requestsOf({ query, principal, tenantIds }: ListRequest<Query>, database: Queryable): CursorList<RequestRow> {
  const { fromMs, toMs } = timeRangeOf(query);
  const mode = principal.livemode ?? query.livemode;
  const isRefused = query.errorType !== undefined || /^[45]/.test(query.status ?? '');
  const given = {
    ...query,
    ...restrictionOf(principal),
    ...(mode !== undefined && { modes: [mode] }),
    ...(isRefused && { isRefused }),
  };
  const index = indexFor(given, statements);
  const selection = {
    tenantIds,
    fromKey: leastUuidAt(fromMs),
    toKey: leastUuidAt(toMs),
    values: requestFilters.valuesOf(given),
    isFiltered: requestFilters.usedIn(given).some((name) => name !== index),
    hasMode: mode !== undefined,
  };
  return {
    name: 'requests',
    filters: filtersOf(query),
    keyType: 'uuid',
    read: (slice) => readSlice(database, statements[index], selection, slice),
  };
}

/** One request. Refuses one that the caller may not see as if it did not exist. */
export async function findRequestOf(database: Queryable, id: string, principal: Principal): Promise<RequestRow> {
  const { ownUserId, ownKeyId } = restrictionOf(principal);
  const uuid = uuidOfPublicId('req', id);
  const tenantIds = await visibleTenants(database, principal);
  const mode = principal.livemode ?? null;
  const found =
    uuid && (await database.run(findRequest, [tenantIds, uuid, ownUserId ?? null, ownKeyId ?? null, mode]))[0];
  if (!found) throw notFound('request', id);
  return found;
}

/**
 * A caller with `*` sees the requests of the whole tenant, any other session those of its user, and any other key its
 * own.
 */
function restrictionOf({ holdsAll, by, userId, keyId }: Principal): {
  ownUserId?: number;
  ownKeyId?: number | undefined;
} {
  if (holdsAll) return {};
  return by === 'key' ? { ownKeyId: keyId } : { ownUserId: userId };
}

export function recordOf(row: RequestRow, principal: Principal): Record {
  const { error_type: type, error_field: field, error_message: message } = row;
  return {
    id: publicId('req', row.id),
    livemode: row.livemode,
    ...tenantOfRow(principal, row),
    createdTime: new Date(uuidTimeMs(row.id)).toISOString(),
    method: row.method as Record['method'],
    path: row.path,
    status: row.status,
    durationMs: row.duration_ms,
    requestId: row.request_id,
    by: row.key_id === null ? 'session' : 'key',
    userId: row.user_id,
    keyId: row.key_id,
    errorType: type,
    address: row.address,
    userAgent: row.user_agent,
    idempotencyKey: row.idempotency_key,
    error: type === null ? null : { type, field, message: message ?? '' },
  };
}
