import { Credentials } from '../../../sdk/src/credentials.ts';
import type { Api } from '../../../sdk/src/generated/api.ts';
import { operations } from '../../../sdk/src/generated/operations.ts';
import type { Call, Params, Reply, WriteOptions } from '../../../sdk/src/operation.ts';
import { OperationsClient } from '../../../sdk/src/operations-client.ts';
import type { List } from '../../../sdk/src/pages.ts';
import { Transport } from '../../../sdk/src/transport.ts';
import { basePath } from './base-path.ts';
import type { Query } from './query.ts';

export { ConnectionError, FlorinError, refusalError } from '../../../sdk/src/errors.ts';
export type * from '../../../sdk/src/generated/api.ts';
export type { Pagination, Params, Reply } from '../../../sdk/src/operation.ts';
export type { Query } from './query.ts';

/** Where the service is, as the browser reaches it. */
export const serviceUrl = location.origin + basePath;

/** Without credentials, because the browser sends the session in a cookie that scripts cannot read. */
const florin = new OperationsClient(
  new Transport(
    {
      baseUrl: serviceUrl,
      // Only the console's own script sends this header; the service refuses changes without it.
      headers: { 'x-florin-console': '1' },
      timeoutMs: 30_000,
      maxRetries: 2,
      fetch: (input, init) => fetch(input, init),
      logger: undefined,
    },
    new Credentials(undefined, undefined),
  ),
);

/** The operations of the API by the names of the SDK, such as `transactions.list`. */
export type OperationName = NamesOf<Api>;

type NamesOf<Resource> = {
  [Name in keyof Resource & string]: Resource[Name] extends (...given: never[]) => infer Answer
    ? Answer extends Call<unknown> | List<unknown>
      ? Name
      : never
    : `${Name}.${NamesOf<Resource[Name]>}`;
}[keyof Resource & string];

type MethodOf<Resource, Name extends string> = Name extends `${infer Noun}.${infer Rest}`
  ? MethodOf<Resource[Noun & keyof Resource], Rest>
  : Resource[Name & keyof Resource];

/** The data that an operation returns. */
export type DataOf<Name extends OperationName> =
  MethodOf<Api, Name> extends (...given: never[]) => infer Answer
    ? Answer extends List<infer Row>
      ? Row[]
      : Answer extends Call<infer Data>
        ? Data
        : never
    : never;

/** The row of a list. */
export type RowOf<Name extends OperationName> = DataOf<Name> extends (infer Row)[] ? Row : never;

/** Operations that return a list. */
export type ListName = { [Name in OperationName]: DataOf<Name> extends unknown[] ? Name : never }[OperationName];

/** Calls an operation by its name. */
export function call<Name extends OperationName>(
  name: Name,
  params: Params = {},
  options: WriteOptions = {},
): Promise<Reply<DataOf<Name>>> {
  const [, , flags = ''] = operations[name] as (typeof operations)[string];
  const method = name.split('.').reduce<unknown>((resource, noun) => (resource as Params)[noun], florin) as (
    ...given: unknown[]
  ) => Call<DataOf<Name>>;
  return (flags.includes('n') ? method(options) : method(params, options)).withResponse();
}

/** The path of an operation, the first part of its query keys. */
export const pathOf = (name: OperationName): string => operations[name]?.[1] ?? '';

/** The query without empty values, because an unset filter does not filter. */
export function withoutEmpty(query: Query): Query {
  return Object.fromEntries(
    Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );
}

/** The URL of a page, an export or a document of the service, which the browser itself requests. */
export function addressOf(path: string, query: Query = {}): string {
  const pairs = Object.entries(withoutEmpty(query)).map(([name, value]) => [name, String(value)]);
  return basePath + (pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`);
}
