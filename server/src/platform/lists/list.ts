import { invalid } from '../../core/errors.ts';
import { publicId, uuidOfPublicId } from '../../core/id.ts';
import { defaultPageSize, type ListPagination, paginationOf } from '../../core/page.ts';
import { type BrokenRule, rule } from '../../core/refusal-rules.ts';
import type { Database, Queryable } from '../postgres/database.ts';
import { scanEnough } from '../postgres/scan-enough.ts';
import type { Statement } from '../postgres/statement.ts';
import { cursorOf, type KeyType, keyOfCursor } from './cursor.ts';
import type { Filter, ListFilters } from './filters.ts';
import type { ListStatements, ReadRow } from './list-statements.ts';
import { integerOf } from './search.ts';

/** The query parameters that every list has besides its filters. */
export interface Paging {
  page?: number | undefined;
  pageSize?: number | undefined;
  cursor?: string | undefined;
  /** The id of a row, as the list shows it: the older form of a cursor, and where an interrupted export continues. */
  after?: string | undefined;
  fields?: unknown;
}

/** A list under the filters of one request, which is paged by cursor only. */
export interface CursorList<Row> {
  /** Part of the cursor, so that the cursor of one list is refused by another. */
  name: string;
  /** The filters as they were given. */
  filters: object;
  keyType: KeyType;
  /** Rows below a key, newest first. */
  read: (slice: Slice) => Promise<Rows<Row>>;
  /** The prefix of the public ids of rows; undefined: ids are integers. */
  idPrefix?: string;
  /** Its pages have `next`, the value of `after` for the next page: the list is older than cursors. */
  givesNext?: boolean;
}

/** A list that also has page numbers. */
export interface List<Row> extends CursorList<Row> {
  keyOf: (row: Row) => string | number;
  /** A filter in use under which rows are not counted: there are no page numbers. */
  uncounted: string | undefined;
  /** A page by its number, and the exact number of rows, from one snapshot. */
  readPage: (skip: number, take: number) => Promise<{ rows: Row[]; total: number }>;
}

/** Which rows to read. */
export interface Slice {
  /** Undefined: from the newest on. */
  belowKey?: string | undefined;
  take: number;
}

export interface Rows<Row> {
  rows: Row[];
  /** The key below which the next rows are; undefined: there are none. There may be one after an empty page. */
  nextKey: string | undefined;
}

/** The filters of a query: all of it but the paging. They are part of a cursor. */
export function filtersOf<Query extends object>(query: Query): Omit<Query, keyof Paging> {
  const { page, pageSize, cursor, after, fields, ...filters } = query as Query & Paging;
  return filters;
}

/** One page of a list, by number or by cursor. */
export async function pageOf<Row>(
  list: List<Row> | CursorList<Row>,
  paging: Paging,
): Promise<{ rows: Row[]; pagination: ListPagination }> {
  const { page = 1, pageSize = defaultPageSize, cursor, after } = paging;
  if ('readPage' in list && cursor === undefined && after === undefined && list.uncounted === undefined) {
    const { rows, total } = await list.readPage((page - 1) * pageSize, pageSize);
    const last = rows.at(-1);
    const hasNext = last !== undefined && (page - 1) * pageSize + rows.length < total;
    const nextCursor = hasNext ? cursorOf(list.name, list.filters, String(list.keyOf(last))) : null;
    return { rows, pagination: { ...paginationOf({ page, pageSize }, total), nextCursor } };
  }
  // Page 1 is the default, and is also the first page by cursor.
  if (page !== 1) throw invalid('page', noPageNumbers('uncounted' in list ? list.uncounted : undefined));
  if (cursor !== undefined && after !== undefined) throw invalid('after', rule('not_together', { other: 'cursor' }));
  const belowKey =
    cursor === undefined ? keyAfter(list, after) : keyOfCursor(list.name, list.filters, list.keyType, cursor);
  const { rows, nextKey } = await list.read({ belowKey, take: pageSize });
  const nextCursor = nextKey === undefined ? null : cursorOf(list.name, list.filters, nextKey);
  const { givesNext = false, idPrefix = '' } = list;
  const next = givesNext && { next: nextKey === undefined ? null : publicId(idPrefix, nextKey) };
  return { rows, pagination: { pageSize, ...next, nextCursor } };
}

/** The key of the row that `after` names; refused unless it is an id of this list. */
export function keyAfter(
  { idPrefix }: Pick<CursorList<unknown>, 'idPrefix'>,
  after: string | undefined,
): string | undefined {
  if (after === undefined) return undefined;
  const key = idPrefix === undefined ? integerOf(after)?.toString() : uuidOfPublicId(idPrefix, after);
  if (key !== undefined) return key;
  throw invalid(
    'after',
    idPrefix === undefined ? rule('row_id') : rule('row_id_such_as', { example: `${idPrefix}_…` }),
  );
}

function noPageNumbers(uncounted: string | undefined): BrokenRule {
  return uncounted === undefined
    ? rule('not_together', { other: 'cursor' })
    : rule('not_counted', { filter: uncounted });
}

/** Rows scanned per statement when filters may exclude them. */
const scannedRows = 10_000;

/** What to read with a statement of `readStatement`. */
export interface Selection {
  tenantIds: readonly number[];
  fromKey: string | number;
  /** Exclusive. */
  toKey: string | number;
  values: readonly unknown[];
  /** Filters may exclude rows that are read: a page may be short, or even empty, although more follow. */
  isFiltered: boolean;
  /** Rows of the other mode are excluded. Usually they are few. */
  hasMode: boolean;
}

/** The first filter in use that has an index, in the order in which the statements were declared. */
export function indexFor<Index extends string>(
  given: Readonly<Record<string, unknown>>,
  statements: Readonly<Record<Index | 'all', unknown>>,
): Index | 'all' {
  const indexes = Object.keys(statements) as (Index | 'all')[];
  return indexes.find((index) => (given[index] ?? null) !== null) ?? 'all';
}

/** Reads rows below a key, newest first. */
export async function readSlice<Row extends { id: string | number }>(
  database: Queryable,
  statement: Statement<ReadRow<Row>>,
  selection: Selection,
  { belowKey, take }: Slice,
): Promise<Rows<Row>> {
  const { tenantIds, toKey, isFiltered, hasMode } = selection;
  const ended = belowKey !== undefined && isLower(belowKey, toKey) ? { ...selection, toKey: belowKey } : selection;
  const scan = (rows: number) => database.run(statement, [...rangeValues(ended), rows + 1, take + 1]);
  const mostScanned = Math.max(take, Math.ceil(scannedRows / Math.max(1, tenantIds.length)));
  const found =
    isFiltered || hasMode ? await scanEnough(scan, { pageSize: take, mostScanned, isFiltered }) : await scan(take);
  return rowsOf(found as BoundRow<Row>[], take);
}

/** A row of a statement that returns `bound` with each row, or one row with `bound` only. */
type BoundRow<Row> = Row & { bound?: string | number | null };

/** The rows of a statement that was asked for one more than `take`. */
export function rowsOf<Row extends { id: string | number }>(found: readonly BoundRow<Row>[], take: number): Rows<Row> {
  const rows = found.filter(({ id }) => id !== null);
  const next = rows.length > take ? rows[take - 1]?.id : (found[0]?.bound ?? undefined);
  return { rows: rows.slice(0, take), nextKey: next === undefined ? undefined : String(next) };
}

/** UUIDs in text, or integers. */
const isLower = (one: string, other: string | number) =>
  typeof other === 'string' ? one < other : Number(one) < other;

/** The values of `firstFilter` and of the filters. */
function rangeValues({ tenantIds, fromKey, toKey, values }: Selection): unknown[] {
  return [tenantIds, tenantIds.map(() => fromKey), tenantIds.map(() => toKey), ...values];
}

export interface ListDeps {
  /** Pages by number are read on one snapshot. */
  database: Pick<Database, 'snapshot'>;
  /** For lists that scan many rows. */
  listDatabase: Queryable;
}

/** A list whose pages are read, and whose rows are counted, by the same conditions (`listStatements`). */
export function countedList<Row extends { id: string | number }>(
  { database, listDatabase }: ListDeps,
  { read, page, count }: ListStatements<Row>,
  selection: Selection,
  list: Pick<List<Row>, 'name' | 'filters' | 'keyType' | 'idPrefix' | 'uncounted'>,
): List<Row> {
  const values = rangeValues(selection);
  return {
    ...list,
    keyOf: (row) => row.id,
    read: (slice) => readSlice(listDatabase, read, selection, slice),
    readPage: (skip, take) =>
      database.snapshot(async (snapshot) => {
        const [counted] = await snapshot.run(count, values);
        return { total: counted?.total ?? 0, rows: await snapshot.run(page, [...values, skip, take]) };
      }),
  };
}

/** The keys among which a list reads. */
interface KeyRange extends Pick<Selection, 'fromKey' | 'toKey'> {
  keyType: KeyType;
  idPrefix?: string;
}

const everyInteger: KeyRange = { keyType: 'bigint', fromKey: 0, toKey: Number.MAX_SAFE_INTEGER };

export interface FilteredListOptions<Row extends { id: string | number }> {
  /** Part of the cursor, so that the cursor of one list is refused by another. */
  name: string;
  tenantIds: readonly number[];
  query: object;
  /** The values of the filters: those of the query, and those that the list determines itself. */
  given: Readonly<Record<string, unknown>> & { modes: readonly boolean[] | undefined };
  filters: Pick<ListFilters<Record<string, Filter>>, 'valuesOf' | 'usedIn' | 'uncountedIn'>;
  /** By the filter whose index finds the rows. */
  statements: Readonly<Record<string, ListStatements<Row>>> & { all: ListStatements<Row> };
  /** Default: all integers. */
  keys?: KeyRange;
  /** Default: the first filter in use that is declared as not counted. */
  uncounted?: string | undefined;
}

/**
 * A list under the filters of a query: the index of one filter finds the rows, and the other filters are tested on
 * them.
 */
export function filteredList<Row extends { id: string | number }>(
  deps: ListDeps,
  { name, tenantIds, query, given, filters, statements, keys = everyInteger, ...options }: FilteredListOptions<Row>,
): List<Row> {
  const { fromKey, toKey, ...form } = keys;
  const index = indexFor(given, statements);
  const isFiltered = filters.usedIn(given).some((used) => used !== index);
  const hasMode = given.modes !== undefined;
  const selection = { tenantIds, fromKey, toKey, values: filters.valuesOf(given), isFiltered, hasMode };
  const { uncounted = filters.uncountedIn({ ...query }) } = options;
  const list = { name, filters: filtersOf(query), uncounted, ...form };
  return countedList(deps, statements[index] ?? statements.all, selection, list);
}
