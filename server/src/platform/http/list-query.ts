import { Type } from 'typebox';
import { maximumPageSize } from '../../core/page.ts';

const pageSize = Type.Optional(Type.Integer({ minimum: 1, maximum: maximumPageSize, default: 20 }));

/** Query parameters that every list in pages takes. */
export const pageFields = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647, default: 1 })),
  pageSize,
};

/** Query parameters of a list that goes on where the last page ended (`CursorPagination`). */
export const cursorFields = {
  after: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: '`pagination.next` of the page before.' }),
  ),
  pageSize,
};

/** A UTC day. The year 0000 is one of ISO 8601 and none of PostgreSQL. */
export const day = (description: string) =>
  Type.Optional(Type.String({ format: 'date', pattern: '^(?!0000)', title: 'a day as YYYY-MM-DD', description }));

/** Query parameters that narrow a list to days (`core/days.ts`). */
export const dayFields = {
  startDate: day('The first day, whole and in UTC: YYYY-MM-DD.'),
  endDate: day('The last day, whole and in UTC: YYYY-MM-DD.'),
};
