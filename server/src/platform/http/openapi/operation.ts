import type { TSchema } from 'typebox';
import type { Endpoint, Need, Paging, Route } from '../route.ts';
import { envelope } from '../route-schema.ts';
import { codeSamplesOf } from './code-samples.ts';
import { refusalsOf } from './refusals.ts';
import { type DocumentSchemas, type Json, nameOf } from './schemas.ts';

/** A request and its answer. */
export interface OperationExample {
  parameters?: Readonly<Record<string, unknown>>;
  body?: unknown;
  answer?: unknown;
}

/** What is written by hand about an operation. */
export interface OperationNotes {
  /** Markdown. */
  text: string;
  /** Commands for a shell, each with the answer that it expects. */
  examples: readonly object[];
}

/** One operation of the document. */
export function operationOf(
  route: Route,
  schemas: DocumentSchemas,
  examples: Readonly<Record<string, OperationExample>> = {},
  notes?: OperationNotes,
): Json {
  const { method, path, needs, group, endpoint } = route;
  const operationId = endpoint.operationId ?? operationIdOf(method, path);
  const example = examples[operationId] ?? {};
  const { summary, description, body, rawBody, streamsBody, query, params, headers } = endpoint;
  return {
    operationId,
    tags: [group],
    summary,
    description: [description, notes?.text, needText(needs)].filter(Boolean).join('\n\n') || undefined,
    security: securityOf(needs),
    ...requirementsOf(needs),
    ...parametersOf({ path: params, query, header: headers }, schemas, example.parameters),
    ...(body && { requestBody: bodyOf(body, schemas, example.body) }),
    ...((rawBody || streamsBody) && { requestBody: { required: true, content: bytes } }),
    responses: {
      200: answerOf(endpoint, schemas, example.answer),
      ...(endpoint.hasEntityTag && { 304: { description: 'The caller has the current version.', headers: entityTag } }),
      ...refusalsOf(route, schemas),
    },
    'x-codeSamples': codeSamplesOf(route, example),
    ...(notes && notes.examples.length > 0 && { 'x-shell-examples': notes.examples }),
  };
}

/** A body of any type, which is taken as it comes. Generators know no wildcard of content types. */
const bytes = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };

/** A body that may be left out may be null too. */
function bodyOf(body: TSchema, schemas: DocumentSchemas, example: unknown): Json {
  const { anyOf } = body as { anyOf?: TSchema[] };
  const required = anyOf?.some((one) => (one as Json).type === 'null') !== true;
  const name = nameOf(body);
  const shape = required ? body : ({ ...anyOf?.[0], type: ['object', 'null'] } as TSchema);
  const schema = name === undefined || required ? schemas.refer(shape) : schemas.add(name, () => schemas.refer(shape));
  return { required, content: { 'application/json': { schema, ...withExample(example) } } };
}

const withExample = (example: unknown) => (example === undefined ? {} : { example });

function parametersOf(
  places: Record<string, TSchema | undefined>,
  schemas: DocumentSchemas,
  examples: Readonly<Record<string, unknown>> = {},
): Json {
  const parameters = Object.entries(places).flatMap(([place, schema]) => {
    const { properties = {}, required = [] } = (schema ?? {}) as Fields;
    return Object.entries(properties).map(([name, shape]) => {
      const { description, ...rest } = schemas.field(name, shape);
      return {
        name: place === 'header' ? headerName(name) : name,
        in: place,
        required: place === 'path' || required.includes(name),
        ...(description !== undefined && { description }),
        ...((rest as Json).type === 'object' && { style: 'deepObject', explode: true }),
        schema: rest,
        ...withExample(examples[name]),
      };
    });
  });
  return parameters.length === 0 ? {} : { parameters };
}

interface Fields {
  properties?: Record<string, TSchema>;
  required?: readonly string[];
}

/** `idempotency-key` becomes `Idempotency-Key`. */
const headerName = (name: string) => name.replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase());

function answerOf(
  { data, paged, documentTypes, hasEntityTag, exportTypes = [] }: Endpoint,
  schemas: DocumentSchemas,
  example: unknown,
): Json {
  if (documentTypes === undefined) {
    const content = { schema: namedEnvelope(data, paged, schemas), ...withExample(example) };
    const headers = exportTypes.length > 0 && { headers: exportHeaders };
    return { description: 'Done.', ...headers, content: { 'application/json': content, ...textOf(exportTypes) } };
  }
  return { description: 'Done.', ...(hasEntityTag && { headers: entityTag }), content: textOf(documentTypes) };
}

const entityTag = {
  ETag: { description: 'Identifies the version, for `If-None-Match`.', schema: { type: 'string' } },
};

const exportHeaders = {
  'X-Total-Count': {
    description: 'Exports: the number of rows, where a page has a `total`.',
    schema: { type: 'integer', format: 'int64' },
  },
};

function textOf(types: readonly string[]): Json {
  const binary = (type: string) => (type.startsWith('text/') || type.includes('json') ? {} : { format: 'binary' });
  return Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', ...binary(type) } }]));
}

/**
 * The envelope of an answer is named after its data: `InvoiceResponse`, `InvoiceListResponse`. A `LoginResult` keeps
 * its last word, because generators for Go call what the operation `login` answers `LoginResponse`.
 */
function namedEnvelope(data: TSchema, paged: Paging, schemas: DocumentSchemas): Json {
  const write = () => schemas.refer(envelope(data, paged));
  const name = envelopeName(data);
  return name === undefined ? write() : schemas.add(name, write);
}

function envelopeName(data: TSchema): string | undefined {
  const { type, items } = data as { type?: string; items?: TSchema };
  if (type === 'null') return 'EmptyResponse';
  const name = nameOf(items ?? data);
  return name && `${name.replace(/ListItem$/, '')}${items === undefined ? '' : 'List'}Response`;
}

/**
 * The operation id that follows from the path: /api/transaction/create becomes `createTransaction`,
 * /api/transaction/detail `getTransaction`, /api/transaction/list `listTransactions`. An endpoint whose path would read
 * badly declares its own.
 */
function operationIdOf(method: string, path: string): string {
  const words = path
    .split('/')
    .filter((word) => word !== '' && word !== 'api' && !word.startsWith('{'))
    .map(camelCase);
  const verb = words.length === 1 ? '' : (words.pop() as string);
  const noun = camelCase(words.join('-'));
  if (method === 'POST') return verb + capital(noun);
  if (verb === 'list' || verb === 'export') return verb + capital(pluralOf(noun));
  return verb === 'detail' || verb === '' ? `get${capital(noun)}` : `get${capital(noun)}${capital(verb)}`;
}

const camelCase = (text: string) => text.replaceAll(/-(\w)/g, (_, first: string) => first.toUpperCase());
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const pluralOf = (noun: string) =>
  noun
    .replace(/(?<![aeiou])y$/, 'ie')
    .replace(/x$/, 'xe')
    .concat('s');

function needText(needs: Need): string {
  if (needs === 'nothing') return '';
  if (needs === 'session' || needs === 'enrolment' || needs === 'token') return 'Needs a Bearer access token.';
  if (needs === 'visitor') return 'Needs nothing; a Bearer access token says who asks.';
  if (needs === 'key') return 'Needs a developer key.';
  if (needs === 'caller') return 'Needs a Bearer access token or a developer key.';
  if (typeof needs !== 'string') return `${needText(needs.needs)} Needs the user type ${needs.userTypes.join(' or ')}.`;
  return `Needs the scope \`${needs}\`.`;
}

const kindsOfCaller: readonly Need[] = ['nothing', 'token', 'session', 'enrolment', 'visitor', 'key', 'caller'];

/** The scope and the user types that a caller needs, for programs. */
function requirementsOf(need: Need): Json {
  const { needs, userTypes } = typeof need === 'string' ? { needs: need, userTypes: undefined } : need;
  return {
    ...(!kindsOfCaller.includes(needs) && { 'x-required-scope': needs }),
    ...(userTypes && { 'x-required-user-types': userTypes }),
  };
}

/** What a caller needs, as OpenAPI 3.1 puts it: for these kinds of credentials the lists name scopes or roles. */
function securityOf(need: Need): Record<string, string[]>[] {
  const [needs, roles] = typeof need === 'string' ? [need, []] : [need.needs, need.userTypes];
  if (needs === 'nothing') return [];
  if (needs === 'token') return [{ bearer: [...roles] }];
  if (needs === 'session' || needs === 'enrolment') return [{ bearer: [...roles] }, { console: [...roles] }];
  if (needs === 'visitor') return [{}, { bearer: [] }, { console: [] }];
  if (needs === 'key') return [{ apiKey: [...roles] }];
  const needed = needs === 'caller' ? [...roles] : [...roles, needs];
  return [{ bearer: needed }, { apiKey: needed }, { console: needed }];
}
