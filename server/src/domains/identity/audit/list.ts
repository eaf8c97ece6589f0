import type { Static } from 'typebox';
import { timeRangeOf } from '../../../core/days.ts';
import { invalid } from '../../../core/errors.ts';
import { leastUuidAt } from '../../../core/id.ts';
import { type Principal, seesAllTenants } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { type CursorList, filtersOf, readSlice, type Selection } from '../../../platform/lists/list.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { entryFilters, readAllEntries, readEntriesOfRecord } from './list-statements.ts';
import type { auditEntry, auditExportQuery, auditListQuery } from './schema.ts';
import { auditedTenants, type EntryRow } from './statements.ts';

/** The filters of the list and of the export. */
type AuditFilters = Omit<Static<typeof auditExportQuery>, 'format'>;
type AuditEntryRecord = Static<typeof auditEntry>;

/** The entries that the caller may see, newest first. */
export async function auditList(
  database: Queryable,
  query: Static<typeof auditListQuery> | Static<typeof auditExportQuery>,
  principal: Principal,
): Promise<CursorList<EntryRow>> {
  const filters: AuditFilters = filtersOf(query);
  const { recordType, recordId } = filters;
  const tenantIds = await auditTenantsOf(database, filters, principal);
  if (recordId !== undefined && recordType === undefined) {
    throw invalid('recordType', rule('needs_record_type'));
  }
  const { fromMs, toMs } = timeRangeOf(filters);
  const byIndex = recordId === undefined ? [] : ['recordType', 'recordId'];
  const selection: Selection = {
    tenantIds,
    fromKey: leastUuidAt(fromMs),
    toKey: leastUuidAt(toMs),
    values: entryFilters.valuesOf(filters),
    isFiltered: entryFilters.usedIn(filters).some((name) => !byIndex.includes(name)),
    hasMode: false,
  };
  const statement = recordId === undefined ? readAllEntries : readEntriesOfRecord;
  return {
    name: 'audit',
    filters,
    keyType: 'uuid',
    idPrefix: 'aud',
    givesNext: true,
    read: (slice) => readSlice(database, statement, selection, slice),
  };
}

/** The tenants whose log the caller may read, or the one of them that the caller asks for. */
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

/** The stored text is the record; `seq`, `chainedTime` and `hash` come from the chain. */
export function recordOf({ body, seq, hash, chained_at }: EntryRow): AuditEntryRecord {
  return { ...JSON.parse(body), seq, chainedTime: chained_at, hash: hash?.toString('hex') ?? null };
}
