import type { Static } from 'typebox';
import { listedModes } from '../../../core/livemode.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Answer, Call } from '../../../platform/http/route.ts';
import { createdLimitsOf } from '../../../platform/lists/created.cte.ts';
import { filteredList, type List, type ListDeps } from '../../../platform/lists/list.ts';
import { integerOf, searchIds } from '../../../platform/lists/search.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { answerList } from '../../identity/audit/answer-list.ts';
import { listedTenants } from '../../identity/tenants/visible-tenants.ts';
import { findBySearch, statements, subscriptionFilters } from './list-statements.ts';
import { recordOf, type SubscriptionRecord } from './record.ts';
import { type listQuery, subscriptionRecord } from './schema.ts';
import type { SubscriptionRow } from './statements.ts';

type Query = Static<typeof listQuery>;

/** Lists the subscriptions that the caller may see and that match the query: a page, or all of them as a file. */
export async function listSubscriptions(
  call: Pick<Call<unknown, Query>, 'query' | 'principal' | 'headers'>,
  deps: ListDeps & { database: Database },
): Promise<Answer<SubscriptionRecord[]>> {
  return answerList(call, deps.database, {
    list: await subscriptionList(deps, call.query, call.principal),
    listedAs: recordOf,
    shape: subscriptionRecord,
    file: 'subscriptions',
    action: 'subscription.export',
  });
}

async function subscriptionList(deps: ListDeps, query: Query, principal: Principal): Promise<List<SubscriptionRow>> {
  const tenantIds = await listedTenants(deps.listDatabase, principal, query.tenantId);
  const modes = listedModes(principal, query.livemode, [query.customerId, query.planId]);
  const valuesOf = (text: string) => [tenantIds, integerOf(text), text];
  const ids = await searchIds(deps.listDatabase, query.search, findBySearch, valuesOf);
  const given = { ...query, modes, ...createdLimitsOf(query), ids };
  return filteredList(deps, {
    name: 'subscriptions',
    tenantIds,
    query,
    given,
    filters: subscriptionFilters,
    statements,
  });
}
