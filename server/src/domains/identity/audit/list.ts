import type { Static } from 'typebox';
import { timeRangeOf } from '../../../core/days.ts';
import { invalid } from '../../../core/errors.ts';
import { leastUuidAt } from '../../../core/id.ts';
import { type Principal, seesAllTenants } from '../../../core/principal.ts';
import { type CursorList, filtersOf, type Rows, rowsOf } from '../../../platform/lists/list.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { auditEntry, auditExportQuery, auditListQuery } from './schema.ts';
import { auditedTenants, type EntryRow, listEntries } from './statements.ts';

/** The filters of the list and of the export. */
export type AuditFilters = Omit<Static<typeof auditExportQuery>, 'format'>;
export type AuditEntryRecord = Static<typeof auditEntry>;

/** Maximum number of entries read for one page, over all tenants. */
const maxScanned = 10_000;

/** The entries that the caller may see, newest first. */
export async function auditList(
  database: Queryable,
  query: Static<typeof auditListQuery> | Static<typeof auditExportQuery>,
  principal: Principal,
): Promise<CursorList<EntryRow>> {
  const filters: AuditFilters = filtersOf(query);
  const tenantIds = await auditTenantsOf(database, filters, principal);
  return {
    name: 'audit',
    filters,
    keyType: 'uuid',
    idPrefix: 'aud',
    givesNext: true,
    read: ({ belowKey, take }) => readEntries(database, filters, tenantIds, belowKey, take),
  };
}

/** The tenants whose log the caller may read and asks for. */
async function auditTenantsOf(
  database: Queryable,
  { tenantId }: AuditFilters,
  principal: Principal,
): Promise<number[]> {
  const visible = seesAllTenants(principal)
    ? (await database.run(auditedTenants)).map(({ id }) => id)
    : [principal.tenantId];
  return tenantId === undefined ? visible : visible.filter((id) => id === tenantId);
}

async function readEntries(
  database: Queryable,
  filters: AuditFilters,
  tenantIds: readonly number[],
  belowId: string | undefined,
  limit: number,
): Promise<Rows<EntryRow>> {
  const { action, recordType, recordId, userId } = filters;
  if (recordId !== undefined && recordType === undefined) {
    throw invalid('recordType', 'recordType is required with recordId.');
  }
  const { fromMs, toMs } = timeRangeOf(filters);
  const endId = leastUuidAt(toMs);
  const lastId = belowId !== undefined && belowId < endId ? belowId : endId;
  const isFiltered = [action, userId].some((filter) => filter !== undefined) || (recordType && !recordId);
  const scanned = isFiltered ? Math.max(limit + 1, Math.ceil(maxScanned / Math.max(1, tenantIds.length))) : limit + 1;
  const found = await database.run(listEntries, [
    tenantIds,
    leastUuidAt(fromMs),
    lastId,
    scanned,
    recordType ?? null,
    recordId ?? null,
    action ?? null,
    userId ?? null,
    limit + 1,
  ]);
  return rowsOf(found, limit);
}

/** The stored text is the record; `seq` and `hash` come from the chain. */
export function recordOf({ body, seq, hash }: EntryRow): AuditEntryRecord {
  return { ...JSON.parse(body), seq, hash: hash?.toString('hex') ?? null };
}
