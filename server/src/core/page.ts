/** Paging as the interface's transaction list has it (Limits): first page 1, 20 rows unless asked, never over 100. */
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
 * Of lists that may hold very many: a page goes on where the one before ended, so that the last costs what the first did.
 * `next` is what to ask for as `after`; null: there is no more. A page may hold fewer rows than were asked for and be
 * followed by others, where many had to be passed by to find these.
 */
export interface CursorPagination {
  pageSize: number;
  next: string | null;
}

export function paginationOf({ page, pageSize }: Page, total: number): Pagination {
  return { page, pageSize, total, totalPages: Math.ceil(total / pageSize) };
}
