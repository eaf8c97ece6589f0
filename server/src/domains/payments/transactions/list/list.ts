import type { Static } from 'typebox';
import { utcDay } from '../../../../core/clock.ts';
import { dayRangeOf, type TimeRange, timeRangeOf } from '../../../../core/days.ts';
import { firstUuidAt, uuidOfPublicId } from '../../../../core/id.ts';
import { listedModes } from '../../../../core/livemode.ts';
import { type Principal, seesAllTenants } from '../../../../core/principal.ts';
import type { Answer, Call } from '../../../../platform/http/route.ts';
import {
  countedList,
  filtersOf,
  type List,
  type ListDeps,
  readSlice,
  type Selection,
} from '../../../../platform/lists/list.ts';
import { foundIds, inBoth, integerOf } from '../../../../platform/lists/search.ts';
import type { Database, Queryable } from '../../../../platform/postgres/database.ts';
import { answerList } from '../../../identity/audit/answer-list.ts';
import { listedTenants } from '../../../identity/tenants/visible-tenants.ts';
import { furtherFields, type ListedPayment, type ListedRow, listedPayment } from '../record.ts';
import type { listQuery } from '../schema.ts';
import { rowsPerBucket } from '../totals/rollup.ts';
import { findByReference, findBySearch, readGroups, statements, transactionFilters } from './filter-statements.ts';
import { readPageByTotals } from './page-by-totals.ts';

type Query = Static<typeof listQuery>;

/** The payments of the query that the caller may see: a page, or all of them as a file. */
export async function listTransactions(
  call: Pick<Call<unknown, Query>, 'query' | 'principal' | 'headers'>,
  deps: ListDeps & { database: Database },
): Promise<Answer<ListedPayment[]>> {
  return answerList(call, deps.database, {
    list: await transactionList(deps, call.query, call.principal),
    listedAs: listedAs(call.query, call.principal),
    shape: listedPayment.shape,
    file: 'transactions',
    action: 'transaction.export',
  });
}

/** The payments of the query that the caller may see. */
export async function transactionList(
  deps: ListDeps,
  query: Query,
  principal: Principal,
  bucketSize: number = rowsPerBucket,
): Promise<List<ListedRow>> {
  const range = timeRangeOf(query);
  const tenantIds = await listedTenants(deps.listDatabase, principal, query.tenantId);
  const modes = listedModes(principal, query.livemode, [
    query.channelId,
    query.customerId,
    query.invoiceId,
    query.providerReference,
  ]);
  const given = {
    ...query,
    modes,
    ...(await lookUp(deps.listDatabase, query, tenantIds)),
    firstDay: utcDay(range.fromMs),
    lastDay: utcDay(range.toMs - 1),
    withJson: furtherFieldsOf(query).some((field) => field === 'metadata' || field === 'nextAction'),
  };
  const accessPath = accessPathOf(given);
  const selection: Selection = {
    tenantIds,
    fromKey: firstUuidAt(range.fromMs),
    toKey: firstUuidAt(range.toMs),
    values: transactionFilters.valuesOf(given),
    isFiltered: transactionFilters.usedIn(given).some((name) => !filtersOfPath[accessPath].includes(name)),
    hasMode: modes !== undefined,
  };
  const list = countedList(deps, statements[accessPath === 'groups' ? 'all' : accessPath], selection, {
    name: 'transactions',
    filters: filtersOf(query),
    keyType: 'uuid',
    idPrefix: 'txn',
    uncounted: transactionFilters.uncountedIn(query) ?? (query.search && 'search') ?? uncountedLimit(query, range),
  });
  if (accessPath !== 'all' && accessPath !== 'groups') return list;
  const { channelId = 0, userId = 0, status = '*' } = query;
  const days = range.days ?? dayRangeOf();
  return {
    ...list,
    read: (slice) =>
      readSlice(deps.listDatabase, accessPath === 'all' ? statements.all.read : readGroups, selection, slice),
    readPage: (skip, take) =>
      deps.database.snapshot((snapshot) =>
        readPageByTotals(snapshot, { tenantIds, modes: modes ?? [true, false], channelId, userId, status }, days, {
          skip,
          take,
          withJson: given.withJson,
          bucketSize,
        }),
      ),
  };
}

type Given = Query & { ids?: string[] };
type AccessPath = 'ids' | 'invoiceId' | 'customerId' | 'groups' | 'all';

/** The filters whose index the rows are read from. */
function accessPathOf({ ids, customerId, invoiceId, status, channelId, userId }: Given): AccessPath {
  if (ids !== undefined) return 'ids';
  if (invoiceId !== undefined) return 'invoiceId';
  if (customerId !== undefined) return 'customerId';
  return [status, channelId, userId].some((filter) => filter !== undefined) ? 'groups' : 'all';
}

/** The filters that every row of an access path matches. */
const filtersOfPath: Record<AccessPath, readonly string[]> = {
  ids: ['ids'],
  invoiceId: ['invoiceId'],
  customerId: ['customerId'],
  groups: ['status', 'channelId', 'userId'],
  all: [],
};

/** The time limit by which nothing is counted: totals are by UTC day. */
function uncountedLimit({ startDate = '', timeZone = 'UTC' }: Query, { days }: TimeRange): string | undefined {
  if (days !== undefined) return undefined;
  if (timeZone !== 'UTC') return 'timeZone';
  return startDate.length > 'YYYY-MM-DD'.length ? 'startDate' : 'endDate';
}

/**
 * The payments with the provider's reference that the search finds, if the query has either. A search that finds no id
 * becomes a filter by the beginning of the description.
 */
async function lookUp(
  database: Queryable,
  { providerReference, search }: Query,
  tenantIds: readonly number[],
): Promise<{ ids?: string[]; described?: string }> {
  const referenced =
    providerReference === undefined
      ? undefined
      : foundIds(await database.run(findByReference, [tenantIds, providerReference]), 'providerReference');
  const within = referenced === undefined ? {} : { ids: referenced };
  if (search === undefined) return within;
  const id = uuidOfPublicId('txn', search);
  const found = foundIds(await database.run(findBySearch, [tenantIds, id ?? null, integerOf(search), search]));
  if (found.length > 0 || id !== undefined) return { ids: inBoth(referenced, found) };
  return { ...within, described: search };
}

const furtherFieldsOf = ({ fields = '' }: Query) => fields.split(',');

/** Makes the rows as the caller sees them, with the further fields that the query asks for. */
export function listedAs(query: Query, principal: Principal): (row: ListedRow) => ListedPayment {
  const asked = new Set(furtherFieldsOf(query));
  const isShown = (name: string) =>
    name === 'tenantId' ? seesAllTenants(principal) : !isFurther(name) || asked.has(name);
  return listedPayment.showOnly(new Set(Object.keys(listedPayment.fields).filter(isShown)));
}

const isFurther = (name: string) => (furtherFields as readonly string[]).includes(name);
