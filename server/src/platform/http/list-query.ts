import { Type } from 'typebox';
import { maximumPageSize } from '../../core/page.ts';

const pageSize = Type.Optional(Type.Integer({ minimum: 1, maximum: maximumPageSize, default: 20 }));

/** Query parameters of lists with page numbers. */
export const pageFields = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647, default: 1 })),
  pageSize,
};

/** Query parameters of lists with a cursor (`CursorPagination`). */
export const cursorFields = {
  after: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: '`pagination.next` of the previous page.' }),
  ),
  pageSize,
};

/** A UTC day. ISO 8601 has the year 0000, PostgreSQL does not. */
export const day = (description: string) =>
  Type.Optional(Type.String({ format: 'date', pattern: '^(?!0000)', title: 'a day as YYYY-MM-DD', description }));

/** Query parameters that limit a list to days (`core/days.ts`). */
export const dayFields = {
  startDate: day('The first day, whole and in UTC: YYYY-MM-DD.'),
  endDate: day('The last day, whole and in UTC: YYYY-MM-DD.'),
};
