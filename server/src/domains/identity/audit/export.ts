import { Readable } from 'node:stream';
import type { Static } from 'typebox';
import type { Principal } from '../../../core/principal.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import { appendAudit } from './append.ts';
import { csvHeader, csvLine } from './csv.ts';
import { type AuditFilters, auditTenantsOf, readEntries, recordOf } from './list.ts';
import type { auditExportQuery, exportFormats } from './schema.ts';
import type { EntryRow } from './statements.ts';

export interface ExportDeps {
  database: Database;
  listDatabase: Queryable;
}

type Format = (typeof exportFormats)[number];

export const exportTypes: Record<Format, string> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
};

const pageRows = 1_000;

/**
 * The entries that pass the filters, newest first, as a stream: a page is read when the client has taken the one before, so
 * that an export of any size needs little memory and no connection while it waits. Holds every entry that was committed
 * when the export began. The export is itself recorded, before the first byte is sent.
 */
export async function exportAuditEntries(
  { format = 'ndjson', ...filters }: Static<typeof auditExportQuery>,
  principal: Principal,
  { database, listDatabase }: ExportDeps,
): Promise<{ type: string; content: Readable }> {
  const tenantIds = await auditTenantsOf(database, filters, principal);
  const first = await readEntries(listDatabase, filters, tenantIds, undefined, pageRows);
  await database.transaction((transaction) =>
    appendAudit(transaction, principal, {
      action: 'audit.export',
      tenantId: principal.tenantId,
      details: { format, filters },
    }),
  );
  const content = Readable.from(pages(listDatabase, format, filters, tenantIds, first), { objectMode: false });
  return { type: exportTypes[format], content };
}

type EntryPage = Awaited<ReturnType<typeof readEntries>>;

async function* pages(
  database: Queryable,
  format: Format,
  filters: AuditFilters,
  tenantIds: readonly number[],
  first: EntryPage,
): AsyncGenerator<string> {
  if (format === 'csv') yield csvHeader;
  for (let page = first; ; page = await readEntries(database, filters, tenantIds, page.nextId, pageRows)) {
    if (page.rows.length > 0) yield page.rows.map(format === 'csv' ? csvOf : jsonLine).join('');
    if (page.nextId === undefined) return;
  }
}

/** The stored text unchanged, so that its hash can be recomputed from the export. */
function jsonLine({ body, seq, hash }: EntryRow): string {
  const hex = hash === null ? null : `"${hash.toString('hex')}"`;
  return `${body.slice(0, -1)},"seq":${seq},"hash":${hex}}\n`;
}

const csvOf = (row: EntryRow) => csvLine(recordOf(row));
