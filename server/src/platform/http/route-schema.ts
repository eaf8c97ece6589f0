import { type TSchema, Type } from 'typebox';
import type { Endpoint, Need, Paging, Route } from './route.ts';

const pagination = Type.Object({
  page: Type.Integer(),
  pageSize: Type.Integer(),
  total: Type.Integer(),
  totalPages: Type.Integer(),
});

const cursorPagination = Type.Object({
  pageSize: Type.Integer(),
  next: Type.Union([Type.String(), Type.Null()], {
    description: 'Pass it as `after` for the next page. null: this is the last page.',
  }),
});

const refusal = Type.Object(
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

/** The schema of a route, for validation, serialization and the OpenAPI document. */
export function routeSchema({ method, path, needs, group, endpoint }: Route): Record<string, unknown> {
  const { summary, description, body, rawBody, query, params, headers } = endpoint;
  return {
    operationId: operationIdOf(method, path),
    tags: [group],
    summary,
    description: [description, needText(needs)].filter(Boolean).join('\n\n'),
    security: securityOf(needs),
    ...(body && { body }),
    ...(rawBody && { body: { content: { '*/*': { schema: {} } } } }),
    ...(query && { querystring: query }),
    ...(params && { params }),
    ...(headers && { headers }),
    response: { 200: answerOf(endpoint), '4xx': refusal, '5xx': refusal },
  };
}

function answerOf({ data, paged, documentTypes }: Endpoint): unknown {
  if (documentTypes === undefined) return envelope(data, paged);
  const content = Object.fromEntries(documentTypes.map((type) => [type, { schema: { type: 'string' } }]));
  return { description: 'Done.', content };
}

function envelope(data: TSchema, paged: Paging): TSchema {
  return Type.Object(
    {
      code: Type.Literal(200),
      message: Type.Optional(Type.String()),
      data,
      ...(paged && { pagination: paged === 'by_cursor' ? cursorPagination : pagination }),
    },
    { description: 'Done.' },
  );
}

/** The operation id: /api/developer/mine/generate becomes developerMineGenerate, /api/callback/{channel}/{token} callbackToken. */
function operationIdOf(method: string, path: string): string {
  const words = path
    .replace(/\{\w+\}/, '')
    .replaceAll(/[{}]/g, '')
    .split('/')
    .filter((word) => word !== '' && word !== 'api');
  const name = words
    .flatMap((word) => word.split('-'))
    .map((word, i) => (i === 0 ? word : word[0]?.toUpperCase() + word.slice(1)));
  return method === 'GET' && words.length === 2 && words[1] === 'mine' ? `${name.join('')}List` : name.join('');
}

function needText(needs: Need): string {
  if (needs === 'nothing') return '';
  if (needs === 'session' || needs === 'enrolment' || needs === 'token') return 'Needs a Bearer access token.';
  if (needs === 'key') return 'Needs a developer key.';
  if (needs === 'caller') return 'Needs a Bearer access token or a developer key.';
  if (typeof needs !== 'string') return `${needText(needs.needs)} Needs the user type ${needs.userTypes.join(' or ')}.`;
  return `Needs the scope \`${needs}\`.`;
}

/** What a caller needs, as OpenAPI 3.1 puts it: for these kinds of credentials the lists name scopes or roles. */
function securityOf(need: Need): Record<string, string[]>[] {
  const [needs, roles] = typeof need === 'string' ? [need, []] : [need.needs, need.userTypes];
  if (needs === 'nothing') return [];
  if (needs === 'token') return [{ bearer: [] }];
  if (needs === 'session' || needs === 'enrolment') return [{ bearer: [...roles] }, { console: [...roles] }];
  if (needs === 'key') return [{ apiKey: [...roles] }];
  const needed = needs === 'caller' ? [...roles] : [...roles, needs];
  return [{ bearer: needed }, { apiKey: needed }, { console: needed }];
}
