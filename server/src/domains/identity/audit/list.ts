import type { Static } from 'typebox';
import { dayRangeOf } from '../../../core/days.ts';
import { invalid } from '../../../core/errors.ts';
import { leastUuidAt, publicId, uuidOfPublicId } from '../../../core/id.ts';
import { type CursorPagination, defaultPageSize } from '../../../core/page.ts';
import { type Principal, seesAllTenants } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { auditEntry, auditExportQuery, auditListQuery } from './schema.ts';
import { auditedTenants, type EntryRow, listEntries } from './statements.ts';

/** The filters of the list and of the export. */
export type AuditFilters = Omit<Static<typeof auditExportQuery>, 'format'>;
export type AuditEntryRecord = Static<typeof auditEntry>;

/** Maximum number of entries read for one page, over all tenants. */
const maxScanned = 10_000;

/** A page of the entries that the caller may see, newest first. */
export async function listAuditEntries(
  database: Queryable,
  { after, pageSize = defaultPageSize, ...filters }: Static<typeof auditListQuery>,
  principal: Principal,
): Promise<{ data: AuditEntryRecord[]; pagination: CursorPagination }> {
  const tenantIds = await auditTenantsOf(database, filters, principal);
  const afterId = after === undefined ? undefined : uuidOfPublicId('aud', after);
  if (after !== undefined && afterId === undefined) throw invalid('after', "after must be an entry's id, aud_….");
  const { rows, nextId } = await readEntries(database, filters, tenantIds, afterId, pageSize);
  return {
    data: rows.map(recordOf),
    pagination: { pageSize, next: nextId === undefined ? null : publicId('aud', nextId) },
  };
}

/** The tenants whose log the caller may read and asks for. */
export async function auditTenantsOf(
  database: Queryable,
  { tenantId }: AuditFilters,
  principal: Principal,
): Promise<number[]> {
  const visible = seesAllTenants(principal)
    ? (await database.run(auditedTenants)).map(({ id }) => id)
    : [principal.tenantId];
  return tenantId === undefined ? visible : visible.filter((id) => id === tenantId);
}

/** Up to `limit` entries below an id, newest first, and the id below which the next ones are. */
export async function readEntries(
  database: Queryable,
  filters: AuditFilters,
  tenantIds: readonly number[],
  belowId: string | undefined,
  limit: number,
): Promise<{ rows: EntryRow[]; nextId: string | undefined }> {
  const { startDate, endDate, action, recordType, recordId, userId } = filters;
  if (recordId !== undefined && recordType === undefined) {
    throw invalid('recordType', 'recordType is required with recordId.');
  }
  const { fromMs, toMs } = dayRangeOf(startDate, endDate);
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
  const entries = found.filter(({ id }) => id !== null);
  const rows = entries.slice(0, limit);
  const nextId = entries.length > limit ? rows.at(-1)?.id : (found[0]?.bound ?? undefined);
  return { rows, nextId };
}

/** The stored text is the record; `seq` and `hash` come from the chain. */
export function recordOf({ body, seq, hash }: EntryRow): AuditEntryRecord {
  return { ...JSON.parse(body), seq, hash: hash?.toString('hex') ?? null };
}
