import type { Static } from 'typebox';
import { utcDay } from '../../../../core/clock.ts';
import { type TimeRange, timeRangeOf } from '../../../../core/days.ts';
import { firstUuidAt, publicId, uuidOfPublicId } from '../../../../core/id.ts';
import type { ListPagination } from '../../../../core/page.ts';
import type { Principal } from '../../../../core/principal.ts';
import {
  filtersOf,
  type List,
  pageOf,
  rangeValues,
  readSlice,
  type Selection,
} from '../../../../platform/lists/list.ts';
import { foundIds, integerOf, prefixPattern } from '../../../../platform/lists/search.ts';
import type { Database, Queryable } from '../../../../platform/postgres/database.ts';
import { listedTenants, tenantOfRow } from '../../../identity/tenants/visible-tenants.ts';
import type { listedTransaction, listQuery } from '../schema.ts';
import { rowsPerBucket } from '../totals/rollup.ts';
import {
  countBy,
  findByReference,
  findBySearch,
  indexedDescription,
  pageBy,
  readBy,
  transactionFilters,
} from './filter-statements.ts';
import type { ListedRow } from './list-statements.ts';
import { readPageByTotals } from './page-by-totals.ts';

type Query = Static<typeof listQuery>;
export type Listed = Static<typeof listedTransaction>;
type NextAction = NonNullable<Listed['nextAction']> | null;

export interface ListDeps {
  /** Pages by number are read on one snapshot. */
  database: Pick<Database, 'snapshot'>;
  /** The pool for lists that look through many rows. */
  listDatabase: Queryable;
}

/** One page of payments, newest first: by number with their exact total, or by cursor. */
export async function listTransactions(
  deps: ListDeps,
  query: Query,
  principal: Principal,
  bucketSize?: number,
): Promise<{ data: Listed[]; pagination: ListPagination }> {
  const list = await transactionList(deps, query, principal, bucketSize);
  const { rows, pagination } = await pageOf(list, query);
  return { data: rows.map(listedAs(query, principal)), pagination };
}

/** The payments that the caller may see and asks for. */
export async function transactionList(
  { database, listDatabase }: ListDeps,
  query: Query,
  principal: Principal,
  bucketSize: number = rowsPerBucket,
): Promise<List<ListedRow>> {
  const range = timeRangeOf(query);
  const tenantIds = await listedTenants(listDatabase, principal, query.tenantId);
  const ids = await lookUp(listDatabase, query, tenantIds);
  const given = {
    ...query,
    ids,
    firstDay: utcDay(range.fromMs),
    lastDay: utcDay(range.toMs - 1),
    withJson: furtherOf(query).some((field) => field === 'metadata' || field === 'nextAction'),
  };
  const way = wayTo(given);
  const selection: Selection = {
    tenantIds,
    fromKey: firstUuidAt(range.fromMs),
    toKey: firstUuidAt(range.toMs),
    values: transactionFilters.valuesOf(given),
    isSifted: filterNames.some((name) => query[name] !== undefined && !passedOn[way].includes(name)),
  };
  return {
    name: 'transactions',
    filters: filtersOf(query),
    keyType: 'uuid',
    keyOf: (row) => row.id,
    uncounted: transactionFilters.uncountedIn(query) ?? uncountedLimit(query, range),
    read: (slice) => readSlice(listDatabase, readBy[way], selection, slice),
    readPage: (skip, take) =>
      database.snapshot(async (snapshot) => {
        if (way === 'all' || way === 'groups') {
          const { channelId = 0, userId = 0, status = '*' } = query;
          const filter = { tenantIds, channelId, userId, status };
          const days = range.days ?? { startDate: given.firstDay, endDate: given.lastDay, ...range };
          return readPageByTotals(snapshot, filter, days, { skip, take, withJson: given.withJson, bucketSize });
        }
        const values = rangeValues(selection);
        const [count] = await snapshot.run(countBy[way], values);
        return { total: count?.total ?? 0, rows: await snapshot.run(pageBy[way], [...values, skip, take]) };
      }),
  };
}

type Given = Query & { ids: string[] | undefined };

/** The index by which the rows are found. */
function wayTo({ ids, customerId, invoiceId, status, channelId, userId }: Given): keyof typeof readBy {
  if (ids !== undefined) return 'ids';
  if (invoiceId !== undefined) return 'invoice';
  if (customerId !== undefined) return 'customer';
  return [status, channelId, userId].some((filter) => filter !== undefined) ? 'groups' : 'all';
}

/** The filters that every row on a way passes. */
const passedOn: Record<keyof typeof readBy, readonly string[]> = {
  ids: [],
  invoice: ['invoiceId'],
  customer: ['customerId'],
  groups: ['status', 'channelId', 'userId'],
  all: [],
};

const filterNames = Object.keys(transactionFilters.fields) as (keyof typeof transactionFilters.fields)[];

/** Totals are kept by UTC day. */
function uncountedLimit({ startDate = '', timeZone = 'UTC' }: Query, { days }: TimeRange): string | undefined {
  if (days !== undefined) return undefined;
  if (timeZone !== 'UTC') return 'timeZone';
  return startDate.length > 'YYYY-MM-DD'.length ? 'startDate' : 'endDate';
}

/** The payments that have the provider's reference and that the search finds; undefined: neither was asked for. */
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
  const found = foundIds(
    await database.run(findBySearch, [
      tenantIds,
      uuidOfPublicId('txn', search) ?? null,
      integerOf(search),
      search,
      prefixPattern(search.slice(0, indexedDescription)),
    ]),
  );
  return referenced === undefined ? found : found.filter((id) => referenced.includes(id));
}

const furtherOf = ({ fields = '' }: Query) => fields.split(',');

/** A row as the caller sees it, with the further fields that the query asks for. */
export function listedAs(query: Query, principal: Principal): (row: ListedRow) => Listed {
  const further = new Set(furtherOf(query));
  return (row) => ({
    id: publicId('txn', row.id),
    ...tenantOfRow(principal, row),
    amount: row.amount,
    amountRefunded: row.amount_refunded,
    currency: row.currency,
    status: row.status,
    channelId: row.channel_id,
    channelName: row.channel_name,
    description: row.description,
    customerId: row.customer_id,
    invoiceId: row.invoice_id,
    userId: row.user_id,
    providerReference: row.provider_reference,
    failureCode: row.failure_code,
    createdTime: row.created_at,
    ...(further.has('failureMessage') && { failureMessage: row.failure_message }),
    ...(further.has('metadata') && { metadata: row.metadata }),
    ...(further.has('nextAction') && { nextAction: row.next_action as NextAction }),
    ...(further.has('version') && { version: row.version }),
    ...(further.has('updatedTime') && { updatedTime: row.updated_at }),
  });
}
