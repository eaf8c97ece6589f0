/** Pagination by number (interface, Limits): the first page is 1, with 20 rows by default and at most 100. */
export const defaultPageSize = 20;
export const maximumPageSize = 100;

export interface Page {
  page: number;
  pageSize: number;
}

export interface Pagination extends Page {
  total: number;
  totalPages: number;
}

/**
 * Pagination of a list that has page numbers and cursors. A page by cursor has no numbers. `nextCursor` leads to the
 * rows after this page, whatever is inserted meanwhile; null on the last page. A page by cursor may have fewer rows
 * than requested although more follow, when many rows had to be scanned.
 */
export interface ListPagination extends Partial<Pagination> {
  pageSize: number;
  nextCursor: string | null;
  /** In lists that are older than cursors: the value of `after` for the next page. */
  next?: string | null;
}

/**
 * Pagination by cursor, for long lists: the last page costs as much as the first. `next` is the value of `after` for
 * the next page; null on the last page. A page may have fewer rows than requested although more follow, when many rows
 * had to be skipped.
 */
export interface CursorPagination {
  pageSize: number;
  next: string | null;
}

export function paginationOf({ page, pageSize }: Page, total: number): Pagination {
  return { page, pageSize, total, totalPages: Math.ceil(total / pageSize) };
}
