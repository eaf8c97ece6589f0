import type { Static } from 'typebox';
import type { Answer, Call } from '../../../platform/http/route.ts';
import { columnsOf, type ExportFormat, type ExportType, recordFormat } from '../../../platform/lists/export.ts';
import type { IdentityApp } from '../app.ts';
import { recordedExport } from './answer-list.ts';
import { auditList, recordOf } from './list.ts';
import { auditEntry, type auditExportQuery, type exportFormats } from './schema.ts';
import type { EntryRow } from './statements.ts';

const types: Record<(typeof exportFormats)[number], ExportType> = { ndjson: 'application/x-ndjson', csv: 'text/csv' };

/** The entries in NDJSON are the stored text unchanged, so that their hashes can be recomputed from the export. */
const entryFormat: ExportFormat<EntryRow> = {
  ...recordFormat(columnsOf(auditEntry, []), recordOf),
  jsonOf: ({ body, seq, hash, chained_at }) => {
    const hex = hash?.toString('hex') ?? null;
    const link = `"seq":${seq},"chainedTime":${JSON.stringify(chained_at)},"hash":${JSON.stringify(hex)}`;
    return `${body.slice(0, -1)},${link}}`;
  },
};

/** All entries that pass the filters and were committed when the export began. The export is itself recorded. */
export async function exportAuditEntries(
  { query: { format = 'ndjson', ...query }, principal }: Call<unknown, Static<typeof auditExportQuery>>,
  { database, listDatabase }: IdentityApp,
): Promise<Answer<never>> {
  const list = await auditList(listDatabase, query, principal);
  const options = { database, principal, file: 'audit', action: 'audit.export', query } as const;
  return recordedExport(list, types[format], entryFormat, options);
}
