import { version } from '@florin/server/app/cli/version.ts';
import { declaredOpenApi } from '@florin/server/app/openapi/document.ts';
import { methodName, typeName } from '@florin/server/platform/http/openapi/client-names.ts';
import type { OpenApiDocument, OpenApiOperation, Schema } from './document.ts';
import { commentOf, TypeWriter } from './types.ts';

/** An operation as the SDK has it. */
interface Method {
  /** `transactions.create`. */
  name: string;
  httpMethod: 'GET' | 'POST';
  path: string;
  /** See `Operation` in sdk/src/operation.ts. */
  flags: string;
  /** The type of the parameters; undefined: it takes none. */
  params: string | undefined;
  isOptional: boolean;
  /** The parameters consist of a single required `id` of this type, which may be given alone. */
  idType: string | undefined;
  /** The type of `data`, or of its rows if it is a list. */
  result: string;
  comment: string;
}

const header = '// Generated from the OpenAPI document by `npm run docs`. Do not edit.\n';

/** The generated files of the SDK, by their paths in the repository. */
export function sdkFiles(): Record<string, string> {
  const document = declaredOpenApi() as unknown as OpenApiDocument;
  const writer = new TypeWriter(document.components?.schemas);
  const operations = operationsOf(document);
  // Results first: a shape that is both sent and received then admits values of later releases.
  for (const [httpMethod, path, operation] of operations) resultOf(operation, methodName(httpMethod, path), writer);
  const methods = operations.map(([httpMethod, path, operation]) => methodOf(httpMethod, path, operation, writer));
  requireDistinct(methods);
  const events = eventsOf(document, writer);
  return {
    'sdk/src/generated/operations.ts': operationsFile(methods),
    'sdk/src/generated/api.ts': apiFile(methods, writer.written(), events),
  };
}

function operationsOf({ paths }: OpenApiDocument): ['GET' | 'POST', string, OpenApiOperation][] {
  return Object.entries(paths).flatMap(([path, { get, post }]) => [
    ...(get === undefined ? [] : [['GET', path, get] as ['GET', string, OpenApiOperation]]),
    ...(post === undefined ? [] : [['POST', path, post] as ['POST', string, OpenApiOperation]]),
  ]);
}

function methodOf(httpMethod: 'GET' | 'POST', path: string, operation: OpenApiOperation, writer: TypeWriter): Method {
  const name = methodName(httpMethod, path);
  const { result, isList, isDocument } = resultOf(operation, name, writer);
  const body = operation.requestBody?.content;
  const isRaw = body !== undefined && body['application/json'] === undefined;
  const takesKey = operation.parameters?.some(({ name: header }) => header.toLowerCase() === 'idempotency-key');
  const { schema, isOptional } = paramsOf(operation, isRaw, writer);
  const own = schema && writer.resolve(schema).properties;
  const required = (schema && writer.resolve(schema).required) ?? [];
  const isPaged = own?.pageSize !== undefined;
  const idType = required.length === 1 && required[0] === 'id' && own?.id?.type;
  return {
    name,
    httpMethod,
    path,
    flags: [
      isList && 'l',
      isPaged && 'p',
      schema === undefined && !isRaw && 'n',
      isDocument && 'd',
      isRaw && 'r',
      takesKey && 'k',
      own?.livemode !== undefined && 'm',
    ]
      .filter((flag) => flag !== false)
      .join(''),
    params: schema && withoutNull(writer.typeOf(schema, `${typeName(name)}Params`, false), isRaw),
    isOptional,
    idType: idType === 'string' ? 'string' : idType === 'integer' ? 'number' : undefined,
    result,
    comment: commentOf([operation.summary, operation.description].filter(Boolean).join('.\n\n'), '  '),
  };
}

/** The type of an operation's data, or of its rows. */
function resultOf(
  { responses }: OpenApiOperation,
  name: string,
  writer: TypeWriter,
): { result: string; isList: boolean; isDocument: boolean } {
  const envelope = responses['200']?.content?.['application/json']?.schema;
  const data = envelope && writer.resolve(envelope).properties?.data;
  if (data === undefined) return { result: 'Response', isList: false, isDocument: true };
  const rows = writer.resolve(data);
  const isList = rows.type === 'array';
  const result = isList
    ? writer.typeOf(rows.items ?? {}, `${typeName(name)}Item`, true)
    : writer.typeOf(data, `${typeName(name)}Result`, true);
  return { result, isList, isDocument: false };
}

/** A body that may be left out is declared as nullable. */
const withoutNull = (type: string, isRaw: boolean) =>
  type.replace(/ \| null$/, '') + (isRaw ? ' & { body: RawBody }' : '');

/** The parameters of a method: the query or the body, with what the path contains. */
function paramsOf(
  { parameters = [], requestBody }: OpenApiOperation,
  isRaw: boolean,
  writer: TypeWriter,
): { schema: Schema | undefined; isOptional: boolean } {
  const inUrl = parameters.filter((parameter) => parameter.in !== 'header');
  const body = isRaw ? undefined : requestBody?.content['application/json']?.schema;
  if (body !== undefined && inUrl.length === 0) {
    const { required = [] } = writer.resolve(body);
    return { schema: body, isOptional: required.length === 0 };
  }
  if (inUrl.length === 0) return { schema: undefined, isOptional: true };
  const required = inUrl.filter((parameter) => parameter.required).map(({ name }) => name);
  const properties = Object.fromEntries(
    inUrl.map(({ name, schema, description }) => [name, { ...schema, ...(description && { description }) }]),
  );
  return { schema: { type: 'object', properties, required }, isOptional: required.length === 0 };
}

function requireDistinct(methods: readonly Method[]): void {
  for (const { name, path } of methods) {
    const others = methods.filter((other) => other.name === name && other.path !== path);
    if (others.length === 0) continue;
    throw new Error(`${path} and ${others[0]?.path} would both be ${name}: name one of them in tools/sdk/names.ts.`);
  }
}

/** The event types with the type of `data.object` of each. */
function eventsOf({ webhooks }: OpenApiDocument, writer: TypeWriter): [string, string][] {
  return Object.entries(webhooks).map(([type, { post }]) => {
    const payload = post.requestBody?.content['application/json']?.schema ?? {};
    const data = writer.resolve(payload).properties?.data ?? {};
    const object = writer.resolve(data).properties?.object;
    if (object === undefined) throw new Error(`The webhook ${type} has no data.object in the OpenAPI document.`);
    return [type, writer.typeOf(object, `${typeName(type)}Object`, true)];
  });
}

function operationsFile(methods: readonly Method[]): string {
  const rows = methods.map(
    ({ name, httpMethod, path, flags }) =>
      `  '${name}': ['${httpMethod}', '${path}'${flags === '' ? '' : `, '${flags}'`}],`,
  );
  return `${header}import type { Operation } from '../operation.ts';\n
export const version = '${version}';\n
/** All operations of the service, by the names of their methods. */
export const operations: Readonly<Record<string, Operation>> = {\n${rows.join('\n')}\n};\n`;
}

function apiFile(methods: readonly Method[], types: string, events: readonly [string, string][]): string {
  const eventRows = events.map(([type, object]) => `  '${type}': ${object};`);
  return `${header}import type { Call, RawBody, RequestOptions, WriteOptions } from '../operation.ts';
import type { TransactionHelpers } from '../client.ts';
import type { List } from '../pages.ts';
import type { WebhookHelpers } from '../webhooks.ts';

${resources(methods)}

/** Event types, with what \`data.object\` of each is. */
export interface EventObjects {\n${eventRows.join('\n')}\n}

${types}
`;
}

/** Methods that the SDK adds to those of the service. */
const helpersOf: Readonly<Record<string, string>> = {
  transactions: 'TransactionHelpers',
  webhooks: 'WebhookHelpers',
};

/** An interface for each resource, and \`Api\` with all that are not below another one. */
function resources(methods: readonly Method[]): string {
  const resourcesByName = Map.groupBy(methods, ({ name }) => name.slice(0, name.lastIndexOf('.')));
  const names = new Set([...resourcesByName.keys()].flatMap(withParents));
  const interfaces = [...names].map((resource) => {
    const inner = [...names].filter(
      (other) => other.startsWith(`${resource}.`) && !other.slice(resource.length + 1).includes('.'),
    );
    const helpers = helpersOf[resource];
    return `export interface ${typeName(resource)}Api ${helpers === undefined ? '' : `extends ${helpers} `}{\n${[
      ...(resourcesByName.get(resource) ?? []).map(signature),
      ...inner.map((other) => `  readonly ${other.split('.').at(-1)}: ${typeName(other)}Api;`),
    ].join('\n')}\n}`;
  });
  const tops = [...names].filter((name) => !name.includes('.'));
  const api = tops.map((name) => `  declare readonly ${name}: ${typeName(name)}Api;`);
  return (
    '/** All operations of the service, by resource. */\nexport class Api ' +
    `{\n${api.join('\n')}\n}\n\n${interfaces.join('\n\n')}`
  );
}

const withParents = (name: string): string[] => {
  const parts = name.split('.');
  return parts.map((_, i) => parts.slice(0, i + 1).join('.'));
};

function signature({ name, httpMethod, flags, params, isOptional, idType, result, comment }: Method): string {
  const options = httpMethod === 'POST' && flags.includes('k') ? 'WriteOptions' : 'RequestOptions';
  const given = idType === undefined ? params : `${idType} | ${params}`;
  const args = params === undefined ? [] : [`params${isOptional ? '?' : ''}: ${given}`];
  const reply = flags.includes('l') ? `List<${result}>` : `Call<${result}>`;
  return `${comment}  ${name.split('.').at(-1)}(${[...args, `options?: ${options}`].join(', ')}): ${reply};`;
}
