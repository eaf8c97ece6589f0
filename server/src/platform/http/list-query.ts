import { Type } from 'typebox';
import { maximumPageSize } from '../../core/page.ts';
import { form } from '../../core/refusal-rules.ts';
import { currencyCode } from './shapes.ts';

const pageSize = Type.Optional(
  Type.Integer({ minimum: 1, maximum: maximumPageSize, default: 20, description: 'Rows of a page.' }),
);

const cursor = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 100,
    description: '`pagination.nextCursor` of the previous page, which had the same filters.',
  }),
);

/** The tenant whose rows a platform administrator wants to see. */
export const tenantField = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN.',
  }),
);

/** Query parameters of lists with page numbers. */
export const pageFields = {
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2_147_483_647, default: 1, description: 'The number of the page.' }),
  ),
  pageSize,
};

/** Query parameters of lists with a cursor (`CursorPagination`). */
export const cursorFields = {
  after: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: '`pagination.next` of the previous page.' }),
  ),
  pageSize,
};

/** Query parameters of lists that are paged by cursor alone. */
export const cursorOnlyFields = { cursor, pageSize };

/** Query parameters of lists that are paged by cursor alone, and had `after` before there were cursors. */
export const cursorListFields = {
  cursor,
  after: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'The id of a row: only rows below it. An export that broke off goes on after the last whole row ' +
        'received. For pages `cursor` is better, because it notices a changed filter.',
    }),
  ),
  pageSize,
};

/** A UTC day. ISO 8601 has the year 0000, PostgreSQL does not. */
export const day = (description: string) =>
  Type.Optional(Type.String({ format: 'date', pattern: '^(?!0000)', title: form('day'), description }));

/** Query parameters that limit a list to days (`core/days.ts`). */
export const dayFields = {
  startDate: day('The first day, whole and in UTC: YYYY-MM-DD.'),
  endDate: day('The last day, whole and in UTC: YYYY-MM-DD.'),
};

/** A plus sign in a query string means a space, and is often sent as it is. */
const dayOrTime =
  '^(?!0000)[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])' +
  '(T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,9})?)?(Z|[+ -]([01][0-9]|2[0-3]):[0-5][0-9]))?$';

const limit = (description: string) =>
  Type.Optional(
    Type.String({
      minLength: 10,
      maxLength: 40,
      pattern: dayOrTime,
      title: form('day_or_time'),
      description,
    }),
  );

/** Query parameters that limit a list to days or moments (`timeRangeOf`). */
export const timeFields = {
  startDate: limit(
    'The first day (YYYY-MM-DD), whole; or a time with its offset (2026-01-31T09:30:00+01:00), inclusive.',
  ),
  endDate: limit('The last day (YYYY-MM-DD), whole; or a time with its offset, exclusive.'),
  timeZone: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      documented: { pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$' },
      description: 'IANA time zone of the days, such as `Europe/Zurich`. UTC if absent.',
    }),
  ),
};

/** Where an export that broke off goes on. */
export const exportAfter = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 100,
    description:
      'The id of a row: only rows below it. An export that broke off goes on after the last whole row received.',
  }),
);

/** Query parameters of lists that have page numbers and cursors (`ListPagination`). */
export const listFields = {
  ...pageFields,
  cursor,
  after: exportAfter,
  tenantId: tenantField,
};

/** The query parameter that asks for fields which the rows of a list do not have otherwise. */
export function furtherFields(names: readonly string[]) {
  const name = `(?:${names.join('|')})`;
  const listed = names.map((one) => `\`${one}\``).join(', ');
  return Type.Optional(
    Type.String({
      pattern: `^${name}(?:,${name})*$`,
      title: form('comma_list', { allowed: names }),
      description: `Further fields of the rows: ${listed}.`,
    }),
  );
}

export const currencyField = Type.Optional(currencyCode('Only rows in this currency.'));

/** Metadata of rows to look for: `metadata[order]=7`. Each named key must have that value, as text. */
export const metadataField = Type.Optional(
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    propertyNames: { pattern: '^[^\\[\\]]+$' },
    additionalProperties: { type: 'string', maxLength: 1000 },
    minProperties: 1,
    maxProperties: 5,
    title: form('by_key'),
    description:
      'Only rows whose metadata has this value under this key: `metadata[order]=7`. ' +
      'Up to 5 keys, which must all match.',
  }),
);

/** `pattern` is for the document: what else the list looks for is refused with a hint of its own. */
export const searchField = (finds: string, pattern?: string) =>
  Type.Optional(
    Type.String({
      minLength: 3,
      maxLength: 255,
      ...(pattern !== undefined && { documented: { pattern } }),
      description: `Only rows found by ${finds}.`,
    }),
  );

/** The part of a list's description that is about its pages. */
export function pagingOf(rows: string, uncounted: readonly string[], andUnder = ''): string {
  const names = uncounted.map((name) => `\`${name}\``).join(', ');
  return (
    `A page by number has the exact \`total\`; a page by \`cursor\` holds its place while ${rows} are created. Under ` +
    `${names}${andUnder}, ${rows} are not counted: there are no page numbers, and a page may hold fewer rows than ` +
    '`pageSize` although more follow. Continue until `pagination.nextCursor` is null.'
  );
}
