import type { TSchema } from 'typebox';
import { type Principal, seesAllTenants } from '../../../core/principal.ts';
import type { Answer, Call } from '../../../platform/http/route.ts';
import {
  columnsOf,
  type ExportFormat,
  type ExportType,
  exportOf,
  exportTypeOf,
  recordFormat,
  refusePaging,
  totalHeader,
  totalOf,
} from '../../../platform/lists/export.ts';
import { type CursorList, filtersOf, keyAfter, type List, type Paging, pageOf } from '../../../platform/lists/list.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { AuditAction } from './actions.ts';
import { appendAudit } from './append.ts';

/** A list and how its rows are shown. */
interface ListAnswer<Row, Listed> {
  list: List<Row> | CursorList<Row>;
  /** A row as the caller sees it. */
  listedAs: (row: Row) => Listed;
  /** The shape of a row: its fields are the columns of a CSV. */
  shape: TSchema;
  /** The name of the exported file, without its extension. */
  file: string;
  /** The action under which an export is recorded. */
  action: AuditAction;
}

type ListCall<Query extends Paging> = Pick<Call<unknown, Query>, 'query' | 'principal' | 'headers'>;

/**
 * Answers a list: one page in the envelope, or all rows as CSV or NDJSON if the Accept header asks for it. An export is
 * recorded in the audit log before the first byte is sent.
 */
export async function answerList<Row, Listed extends object, Query extends Paging>(
  { query, principal, headers }: ListCall<Query>,
  database: Database,
  { list, listedAs, shape, file, action }: ListAnswer<Row, Listed>,
): Promise<Answer<Listed[]>> {
  const type = exportTypeOf(headers.accept);
  if (type === undefined) {
    const { rows, pagination } = await pageOf(list, query);
    return { data: rows.map(listedAs), pagination };
  }
  refusePaging(query);
  const optional = [...(seesAllTenants(principal) ? ['tenantId'] : []), ...String(query.fields ?? '').split(',')];
  const format = recordFormat(columnsOf(shape, optional), listedAs);
  return recordedExport(list, type, format, { database, principal, file, action, query });
}

/** An export as a file, recorded in the audit log first. */
export async function recordedExport<Row>(
  list: List<Row> | CursorList<Row>,
  type: ExportType,
  format: ExportFormat<Row>,
  options: { database: Database; principal: Principal; file: string; action: AuditAction; query: Paging },
): Promise<Answer<never>> {
  const { database, principal, file, action, query } = options;
  const { after } = query;
  const content = await exportOf(list, type, format, keyAfter(list, after));
  const total = await totalOf(list as List<unknown>, query);
  const extension = type === 'text/csv' ? 'csv' : 'ndjson';
  await database.transaction((transaction) =>
    appendAudit(transaction, principal, {
      action,
      tenantId: principal.tenantId,
      details: { format: extension, filters: filtersOf(query), ...(after !== undefined && { after }) },
    }),
  );
  return {
    document: { type: `${type}; charset=utf-8`, content },
    headers: {
      'content-disposition': `attachment; filename="${file}.${extension}"`,
      ...(total !== undefined && { [totalHeader]: String(total) }),
    },
  };
}
