import type { Static } from 'typebox';
import { listedModes } from '../../../core/livemode.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Answer, Call } from '../../../platform/http/route.ts';
import { createdLimitsOf } from '../../../platform/lists/created.cte.ts';
import { filteredList, type List, type ListDeps } from '../../../platform/lists/list.ts';
import { integerOf, prefixPattern, searchIds } from '../../../platform/lists/search.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { answerList } from '../../identity/audit/answer-list.ts';
import { listedTenants, tenantOfRow } from '../../identity/tenants/visible-tenants.ts';
import { findBySearch, indexedDescription, invoiceFilters, statements } from './list-statements.ts';
import { numberOf } from './number.ts';
import { recordOf } from './record.ts';
import { type invoiceListQuery, invoiceRow } from './schema.ts';
import type { InvoiceRow } from './statements.ts';

type Query = Static<typeof invoiceListQuery>;
type Listed = Static<typeof invoiceRow>;

/** Lists the invoices that the caller may see and that match the query: a page, or all of them as a file. */
export async function listInvoices(
  call: Pick<Call<unknown, Query>, 'query' | 'principal' | 'headers'>,
  deps: ListDeps & { database: Database },
): Promise<Answer<Listed[]>> {
  return answerList(call, deps.database, {
    list: await invoiceList(deps, call.query, call.principal),
    listedAs: listedAs(call.principal),
    shape: invoiceRow,
    file: 'invoices',
    action: 'invoice.export',
  });
}

async function invoiceList(deps: ListDeps, query: Query, principal: Principal): Promise<List<InvoiceRow>> {
  const tenantIds = await listedTenants(deps.listDatabase, principal, query.tenantId);
  const modes = listedModes(principal, query.livemode, [query.number, query.customerId, query.subscriptionId]);
  const ids = await searchIds(deps.listDatabase, query.search, findBySearch, (text) => {
    const { series, number } = numberOf(text);
    const pattern = prefixPattern(text.slice(0, indexedDescription));
    return [tenantIds, integerOf(text), series, number, text, pattern];
  });
  const given = { ...query, modes, ...createdLimitsOf(query), ids };
  return filteredList(deps, { name: 'invoices', tenantIds, query, given, filters: invoiceFilters, statements });
}

export function listedAs(principal: Principal): (row: InvoiceRow) => Listed {
  return (row) => ({ ...recordOf(row), ...tenantOfRow(principal, row) });
}
