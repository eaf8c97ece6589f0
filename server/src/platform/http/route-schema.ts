import { type TSchema, Type } from 'typebox';
import type { Endpoint, Paging, Route } from './route.ts';

export const pagination = Type.Object({
  page: Type.Integer(),
  pageSize: Type.Integer(),
  total: Type.Integer(),
  totalPages: Type.Integer(),
});

export const cursorPagination = Type.Object({
  pageSize: Type.Integer(),
  next: Type.Union([Type.String(), Type.Null()], {
    description: 'Pass it as `after` for the next page. null: this is the last page.',
  }),
});

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
    }),
  },
  { description: 'Refused.' },
);

/** The schemas of a route, for validation and serialization. `openapi/` documents them. */
export function routeSchema({ endpoint }: Route): Record<string, unknown> {
  const { body, query, params, headers } = endpoint;
  return {
    ...(body && { body }),
    ...(query && { querystring: query }),
    ...(params && { params }),
    ...(headers && { headers }),
    ...answerOf(endpoint),
  };
}

function answerOf({ data, paged, documentTypes }: Endpoint): Record<string, unknown> {
  return documentTypes === undefined ? { response: { 200: envelope(data, paged) } } : {};
}

function envelope(data: TSchema, paged: Paging): TSchema {
  return Type.Object({
    code: Type.Literal(200),
    message: Type.Optional(Type.String()),
    data,
    ...(paged && { pagination: paged === 'by_cursor' ? cursorPagination : pagination }),
  });
}
