import type { TSchema } from 'typebox';
import type { Principal } from '../../../core/principal.ts';
import type { Answer, Call } from '../../../platform/http/route.ts';
import { type CursorList, type List, type ListDeps, type Paging, pageOf } from '../../../platform/lists/list.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { AuditAction } from '../audit/actions.ts';
import { answerList } from '../audit/answer-list.ts';
import { listedTenants } from './visible-tenants.ts';

export interface ListQuery extends Paging {
  /** Only rows of this tenant; for platform administrators. */
  tenantId?: number | undefined;
}

export interface ListApp extends ListDeps {
  database: Database;
}

/** Who asks for which rows. */
export interface ListRequest<Query> {
  query: Query;
  principal: Principal;
  /** The tenants whose rows the caller may see, or the one of them that the query names. */
  tenantIds: number[];
}

export interface ListDefinition<Query extends ListQuery, Row, Listed extends object, App extends ListApp> {
  /** The rows of the query, newest first. */
  find: (request: ListRequest<Query>, app: App) => Promise<List<Row> | CursorList<Row>>;
  /** A row as the caller sees it. */
  listedAs: (request: Omit<ListRequest<Query>, 'tenantIds'>, app: App) => (row: Row) => Listed;
  /** How all rows are exported as a file. Without it there are only pages. */
  exported?: {
    /** The name of the file, without its extension. */
    file: string;
    /** The shape of a row: its fields are the columns of a CSV. */
    shape: TSchema;
    /** The action under which an export is recorded in the audit log. */
    action: AuditAction;
  };
}

type ListCall<Query> = Pick<Call<unknown, Query>, 'query' | 'principal' | 'headers'>;

/** The handler of a list: of the rows that the caller may see and that match the query, a page or all as a file. */
export function defineList<Query extends ListQuery, Row, Listed extends object, App extends ListApp = ListApp>({
  find,
  listedAs,
  exported,
}: ListDefinition<Query, Row, Listed, App>): (call: ListCall<Query>, app: App) => Promise<Answer<Listed[]>> {
  return async (call, app) => {
    const { query, principal } = call;
    const tenantIds = await listedTenants(app.listDatabase, principal, query.tenantId);
    const list = await find({ query, principal, tenantIds }, app);
    const shownAs = listedAs({ query, principal }, app);
    if (exported !== undefined) return answerList(call, app.database, { list, listedAs: shownAs, ...exported });
    const { rows, pagination } = await pageOf(list, query);
    return { data: rows.map(shownAs), pagination };
  };
}
