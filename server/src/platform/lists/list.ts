import { invalid } from '../../core/errors.ts';
import { defaultPageSize, type ListPagination, paginationOf } from '../../core/page.ts';
import type { Queryable } from '../postgres/database.ts';
import type { Statement } from '../postgres/statement.ts';
import { cursorOf, type KeyType, keyOfCursor } from './cursor.ts';
import type { ReadRow } from './list-statements.ts';

/** The query parameters that every list has besides its filters. */
export interface Paging {
  page?: number | undefined;
  pageSize?: number | undefined;
  cursor?: string | undefined;
  fields?: unknown;
}

/** A list under the filters of one request. */
export interface List<Row> {
  /** Part of the cursor, so that the cursor of one list is refused by another. */
  name: string;
  /** The filters as they were given. */
  filters: object;
  keyType: KeyType;
  keyOf: (row: Row) => string | number;
  /** A filter in use under which rows are not counted: there are no page numbers. */
  uncounted: string | undefined;
  /** Rows below a key, newest first. */
  read: (slice: Slice) => Promise<Rows<Row>>;
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
export function filtersOf<Query extends Paging>({ page, pageSize, cursor, fields, ...filters }: Query) {
  return filters;
}

/** One page of a list, by number or by cursor. */
export async function pageOf<Row>(
  list: List<Row>,
  { page = 1, pageSize = defaultPageSize, cursor }: Paging,
): Promise<{ rows: Row[]; pagination: ListPagination }> {
  if (cursor === undefined && list.uncounted === undefined) {
    const { rows, total } = await list.readPage((page - 1) * pageSize, pageSize);
    const last = rows.at(-1);
    const hasNext = last !== undefined && (page - 1) * pageSize + rows.length < total;
    return {
      rows,
      pagination: {
        ...paginationOf({ page, pageSize }, total),
        nextCursor: hasNext ? cursorAfter(list, list.keyOf(last)) : null,
      },
    };
  }
  // Page 1 is the default, and is where a cursor starts.
  if (page !== 1) throw invalid('page', noPageNumbers(list.uncounted));
  const belowKey = cursor === undefined ? undefined : keyOfCursor(list.name, list.filters, list.keyType, cursor);
  const { rows, nextKey } = await list.read({ belowKey, take: pageSize });
  return { rows, pagination: { pageSize, nextCursor: nextKey === undefined ? null : cursorAfter(list, nextKey) } };
}

function noPageNumbers(uncounted: string | undefined): string {
  return uncounted === undefined
    ? 'page cannot be used together with cursor.'
    : `The rows under the filter ${uncounted} are not counted, so there are no page numbers: leave out page, and pass on pagination.nextCursor as cursor.`;
}

function cursorAfter<Row>({ name, filters }: List<Row>, key: string | number): string {
  return cursorOf(name, filters, String(key));
}

/** Rows that a filter may leave out are looked through in portions of this size. */
const scannedRows = 10_000;

/** What to read with a statement of `readStatement`. */
export interface Selection {
  tenantIds: readonly number[];
  fromKey: string | number;
  /** Exclusive. */
  toKey: string | number;
  values: readonly unknown[];
  /** Rows are read that may not pass: a page may be short, or even empty, although more follow. */
  isSifted: boolean;
}

/** Reads rows below a key, newest first. */
export async function readSlice<Row extends { id: string | number }>(
  database: Queryable,
  statement: Statement<ReadRow<Row>>,
  selection: Selection,
  { belowKey, take }: Slice,
): Promise<Rows<Row>> {
  const { tenantIds, toKey, isSifted } = selection;
  const scan = isSifted ? Math.max(take + 1, Math.ceil(scannedRows / Math.max(1, tenantIds.length))) : take + 1;
  const ended = belowKey !== undefined && isLower(belowKey, toKey) ? { ...selection, toKey: belowKey } : selection;
  const found = await database.run(statement, [...rangeValues(ended), scan, take + 1]);
  const rows = found.filter(({ id = null }) => id !== null) as unknown as Row[];
  const isFull = rows.length > take;
  const next = isFull ? rows[take - 1]?.id : (found[0]?.bound ?? undefined);
  return { rows: rows.slice(0, take), nextKey: next === undefined ? undefined : String(next) };
}

/** UUIDs in text, or integers. */
const isLower = (one: string, other: string | number) =>
  typeof other === 'string' ? one < other : Number(one) < other;

/** The values of `firstFilter` and of the filters. */
export function rangeValues({ tenantIds, fromKey, toKey, values }: Selection): unknown[] {
  return [tenantIds, tenantIds.map(() => fromKey), tenantIds.map(() => toKey), ...values];
}

const rowsPerPortion = 1_000;

/**
 * All rows of a list, newest first, in portions. The next portion is read when the one before has been taken, so that a list
 * of any length needs little memory and holds no connection in between.
 */
export async function* portionsOf<Row>({ read }: Pick<List<Row>, 'read'>): AsyncGenerator<Row[]> {
  let belowKey: string | undefined;
  do {
    const { rows, nextKey } = await read({ belowKey, take: rowsPerPortion });
    if (rows.length > 0) yield rows;
    belowKey = nextKey;
  } while (belowKey !== undefined);
}
