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

export function paginationOf({ page, pageSize }: Page, total: number): Pagination {
  return { page, pageSize, total, totalPages: Math.ceil(total / pageSize) };
}
