import { type TSchema, Type } from 'typebox';
import type { Endpoint, Paging, Route } from './route.ts';

export const pagination = Type.Object(
  {
    page: Type.Integer(),
    pageSize: Type.Integer(),
    total: Type.Integer(),
    totalPages: Type.Integer(),
  },
  { $id: 'Pagination' },
);

export const cursorPagination = Type.Object(
  {
    pageSize: Type.Integer(),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'Pass it as `after` for the next page. null: this is the last page.',
    }),
    nextCursor: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'Pass it as `cursor`, with the same filters, for the next page. null: this is the last page.',
      }),
    ),
  },
  { $id: 'CursorPagination' },
);

const ofNumber = (description: string) =>
  Type.Optional(Type.Integer({ description: `${description} Absent in a page by cursor.` }));

export const listPagination = Type.Object(
  {
    page: ofNumber('The number of this page.'),
    pageSize: Type.Integer(),
    total: ofNumber('The exact number of rows under these filters.'),
    totalPages: ofNumber('The number of pages.'),
    nextCursor: Type.Union([Type.String(), Type.Null()], {
      description: 'Pass it as `cursor`, with the same filters, for the rows that follow. null: there are none.',
    }),
  },
  { $id: 'ListPagination' },
);

export const cursorOnlyPagination = Type.Object(
  {
    pageSize: Type.Integer(),
    nextCursor: listPagination.properties.nextCursor,
  },
  { $id: 'CursorOnlyPagination' },
);

const paginations: Record<Exclude<Paging, boolean>, TSchema> = {
  by_cursor: cursorPagination,
  by_cursor_only: cursorOnlyPagination,
  by_page_or_cursor: listPagination,
};

export const refusal = Type.Object(
  {
    code: Type.Integer({ description: 'The HTTP status.' }),
    message: Type.String(),
    data: Type.Null(),
    error: Type.Object({
      type: Type.String({ description: 'A stable identifier for programs.' }),
      field: Type.Optional(Type.String({ description: 'The input field that is wrong.' })),
      details: Type.Optional(Type.Object({}, { additionalProperties: true })),
      requestId: Type.String(),
      doc: Type.String({ description: 'The path at which the service explains the type: `/docs/errors#…`.' }),
    }),
  },
  { $id: 'Error', description: 'Refused.' },
);

const known = new WeakMap<Endpoint, Record<string, unknown>>();

/**
 * The schemas of a route, for validation and serialization; `openapi/` documents them, and also its headers. The route
 * that reads a header checks it itself. All nodes of a process have the same ones, so that they are compiled once.
 */
export function routeSchema({ endpoint }: Route): Record<string, unknown> {
  const schema = known.get(endpoint) ?? schemaOf(endpoint);
  known.set(endpoint, schema);
  return schema;
}

function schemaOf(endpoint: Endpoint): Record<string, unknown> {
  const { body, query, takesAnyQuery, params, data, paged, documentTypes } = endpoint;
  return {
    ...(body && { body: closed(unnamed(body)) }),
    ...(!takesAnyQuery && { querystring: closed(unnamed(query ?? Type.Object({}))) }),
    ...(params && { params }),
    ...(documentTypes === undefined && { response: { 200: unnamed(envelope(data, paged)) } }),
  };
}

/**
 * The same shape, with every object closed to unknown names unless it says otherwise: a misspelt name would be lost in
 * silence.
 */
function closed<Part>(part: Part): Part {
  return rewritten(part, (copy) => ('properties' in copy ? { additionalProperties: false, ...copy } : copy));
}

/** The same shape without names. They are for the document; a validator takes one for an address, which is unique. */
function unnamed<Part>(part: Part): Part {
  return rewritten(part, ({ $id, ...rest }) => rest);
}

/** A copy of a schema with every object in it changed, the innermost first. */
function rewritten<Part>(part: Part, change: (copy: Record<string, unknown>) => object): Part {
  if (Array.isArray(part)) return part.map((inner) => rewritten(inner, change)) as Part;
  if (typeof part !== 'object' || part === null) return part;
  return change(
    Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, rewritten(inner, change)])),
  ) as Part;
}

/** The envelope of an answer. */
export function envelope(data: TSchema, paged: Paging): TSchema {
  return Type.Object({
    code: Type.Literal(200),
    message: Type.Optional(Type.String()),
    data,
    ...(paged !== false && { pagination: paged === true ? pagination : paginations[paged] }),
  });
}
