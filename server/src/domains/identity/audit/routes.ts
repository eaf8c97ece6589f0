import { Type } from 'typebox';
import { refuseTestKey } from '../../../core/livemode.ts';
import { administrator, type Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import { exportTypes } from '../../../platform/lists/export.ts';
import { pageOf } from '../../../platform/lists/list.ts';
import type { IdentityApp } from '../app.ts';
import { exportAuditEntries } from './export.ts';
import { auditList, recordOf } from './list.ts';
import { auditEntry, auditExportQuery, auditListQuery } from './schema.ts';

/** Refused to test keys, because entries show changes of live records. */
const reading = 'read the audit log';

const { get } = routesFor<IdentityApp>();

export const auditRoutes: readonly Route<IdentityApp>[] = [
  get('/api/audit/list', administrator('*'), 'Audit log', {
    operationId: 'listAuditEntries',
    summary: 'List the audit log',
    description:
      "Newest first. A MERCHANT_ADMIN sees the log of its own tenant, a PLATFORM_ADMIN every tenant's. " +
      'A page can hold fewer entries than `pageSize` and still have a successor: ' +
      'there are more pages as long as `pagination.nextCursor` is not null.',
    query: auditListQuery,
    data: Type.Array(auditEntry),
    paged: 'by_cursor',
    refuses: ['livemode_mismatch'],
    handle: async ({ query, principal }, app) => {
      refuseTestKey(principal, reading);
      const { rows, pagination } = await pageOf(await auditList(app.listDatabase, query, principal), query);
      return { data: rows.map(recordOf), pagination };
    },
  }),

  get('/api/audit/export', administrator('*'), 'Audit log', {
    operationId: 'exportAuditEntries',
    summary: 'Export the audit log',
    description:
      'Streams all entries that pass the filters, newest first, as NDJSON or CSV instead of the JSON envelope. ' +
      'Errors use the envelope. The export is recorded in the log.',
    query: auditExportQuery,
    data: Type.Null(),
    documentTypes: exportTypes,
    refuses: ['livemode_mismatch'],
    handle: (call, app) => {
      refuseTestKey(call.principal, reading);
      return exportAuditEntries(call, app);
    },
  }),
];
