import type { Static } from 'typebox';
import { listedModes } from '../../../core/livemode.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Answer, Call } from '../../../platform/http/route.ts';
import { createdLimitsOf } from '../../../platform/lists/created.cte.ts';
import { filteredList, type List, type ListDeps } from '../../../platform/lists/list.ts';
import { inBoth, integerOf, prefixPattern, searchIds } from '../../../platform/lists/search.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { answerList } from '../../identity/audit/answer-list.ts';
import { listedTenants, tenantOfRow } from '../../identity/tenants/visible-tenants.ts';
import { customerFilters, findBySearch, indexedName, statements } from './list-statements.ts';
import { recordOf } from './record.ts';
import { type customerListQuery, listedCustomer } from './schema.ts';
import type { CustomerRow } from './statements.ts';

type Query = Static<typeof customerListQuery>;
type Listed = Static<typeof listedCustomer>;

/** Lists the customers that the caller may see and that match the query: a page, or all of them as a file. */
export async function listCustomers(
  call: Pick<Call<unknown, Query>, 'query' | 'principal' | 'headers'>,
  deps: ListDeps & { database: Database },
): Promise<Answer<Listed[]>> {
  return answerList(call, deps.database, {
    list: await customerList(deps, call.query, call.principal),
    listedAs: listedAs(call.principal),
    shape: listedCustomer,
    file: 'customers',
    action: 'customer.export',
  });
}

async function customerList(deps: ListDeps, query: Query, principal: Principal): Promise<List<CustomerRow>> {
  const tenantIds = await listedTenants(deps.listDatabase, principal, query.tenantId);
  const modes = listedModes(principal, query.livemode, [query.ids]);
  const found = await searchIds(deps.listDatabase, query.search, findBySearch, (text) => {
    const pattern = prefixPattern(text.slice(0, indexedName));
    return [tenantIds, integerOf(text), text, pattern];
  });
  const ids = found === undefined ? idsOf(query) : inBoth(idsOf(query), found);
  const given = { ...query, modes, ...createdLimitsOf(query), ids };
  return filteredList(deps, { name: 'customers', tenantIds, query, given, filters: customerFilters, statements });
}

const idsOf = ({ ids }: Query) => ids?.split(',').map(Number);

export function listedAs(principal: Principal): (row: CustomerRow) => Listed {
  return (row) => ({ ...recordOf(row), ...tenantOfRow(principal, row) });
}
