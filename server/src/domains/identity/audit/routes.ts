import { Type } from 'typebox';
import { administrator, get, type Route } from '../../../platform/http/route.ts';
import { type ExportDeps, exportAuditEntries, exportTypes } from './export.ts';
import { listAuditEntries } from './list.ts';
import { auditEntry, auditExportQuery, auditListQuery } from './schema.ts';

export function auditRoutes(deps: ExportDeps): Route[] {
  return [
    get('/api/audit/list', administrator('*'), 'Audit log', {
      operationId: 'listAuditEntries',
      summary: 'List the audit log',
      description:
        "Newest first. A MERCHANT_ADMIN sees the log of the own tenant, a PLATFORM_ADMIN every tenant's. A page can hold " +
        'fewer entries than `pageSize` and still have a successor: there are more pages as long as `pagination.next` is not null.',
      query: auditListQuery,
      data: Type.Array(auditEntry),
      paged: 'by_cursor',
      handle: ({ query, principal }) => listAuditEntries(deps.listDatabase, query, principal),
    }),

    get('/api/audit/export', administrator('*'), 'Audit log', {
      operationId: 'exportAuditEntries',
      summary: 'Export the audit log',
      description:
        'Streams all entries that pass the filters, newest first, as NDJSON or CSV instead of the JSON envelope. Errors use ' +
        'the envelope. The export is recorded in the log.',
      query: auditExportQuery,
      data: Type.Null(),
      documentTypes: Object.values(exportTypes).map((type) => type.split(';')[0] as string),
      handle: async ({ query, principal }) => ({ document: await exportAuditEntries(query, principal, deps) }),
    }),
  ];
}
