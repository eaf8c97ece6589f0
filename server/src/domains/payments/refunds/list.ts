import type { Static } from 'typebox';
import { timeRangeOf } from '../../../core/days.ts';
import { firstUuidAt, uuidOfPublicId } from '../../../core/id.ts';
import { listedModes } from '../../../core/livemode.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Answer, Call } from '../../../platform/http/route.ts';
import { filteredList, type List, type ListDeps } from '../../../platform/lists/list.ts';
import { foundIds, inBoth, prefixPattern } from '../../../platform/lists/search.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import { answerList } from '../../identity/audit/answer-list.ts';
import { listedTenants, tenantOfRow } from '../../identity/tenants/visible-tenants.ts';
import {
  findByReference,
  findBySearch,
  indexedReason,
  type ListedRow,
  refundFilters,
  statements,
} from './list-statements.ts';
import { recordOf } from './record.ts';
import { listedRefund, type refundListQuery } from './schema.ts';

type Query = Static<typeof refundListQuery>;
type Listed = Static<typeof listedRefund>;

/** The refunds of the query that the caller may see: a page, or all of them as a file. */
export async function listRefunds(
  call: Pick<Call<unknown, Query>, 'query' | 'principal' | 'headers'>,
  deps: ListDeps & { database: Database },
): Promise<Answer<Listed[]>> {
  return answerList(call, deps.database, {
    list: await refundList(deps, call.query, call.principal),
    listedAs: listedAs(call.principal),
    shape: listedRefund,
    file: 'refunds',
    action: 'refund.export',
  });
}

/** The refunds of the query that the caller may see. */
async function refundList(deps: ListDeps, query: Query, principal: Principal): Promise<List<ListedRow>> {
  const { fromMs, toMs } = timeRangeOf(query);
  const tenantIds = await listedTenants(deps.listDatabase, principal, query.tenantId);
  const modes = listedModes(principal, query.livemode, [
    query.transactionId,
    query.channelId,
    query.customerId,
    query.invoiceId,
    query.providerReference,
  ]);
  const given = {
    ...query,
    modes,
    paymentId: uuidOfPublicId('txn', query.transactionId ?? ''),
    ids: await lookUp(deps.listDatabase, query, tenantIds),
  };
  return filteredList(deps, {
    name: 'refunds',
    tenantIds,
    query,
    given,
    filters: refundFilters,
    statements,
    keys: { keyType: 'uuid', idPrefix: 'ref', fromKey: firstUuidAt(fromMs), toKey: firstUuidAt(toMs) },
  });
}

/** The refunds with the provider's reference that the search finds; undefined: the query has neither. */
async function lookUp(
  database: Queryable,
  { providerReference, search }: Query,
  tenantIds: readonly number[],
): Promise<string[] | undefined> {
  const referenced =
    providerReference === undefined
      ? undefined
      : foundIds(await database.run(findByReference, [tenantIds, providerReference]), 'providerReference');
  if (search === undefined) return referenced;
  const [refundId, paymentId] = [uuidOfPublicId('ref', search) ?? null, uuidOfPublicId('txn', search) ?? null];
  const reason = prefixPattern(search.slice(0, indexedReason));
  return inBoth(
    referenced,
    foundIds(await database.run(findBySearch, [tenantIds, refundId, paymentId, search, reason])),
  );
}

export function listedAs(principal: Principal): (row: ListedRow) => Listed {
  return (row) => ({
    ...recordOf(row),
    ...tenantOfRow(principal, row),
    channelId: row.channel_id,
    customerId: row.customer_id,
  });
}
