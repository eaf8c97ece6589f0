import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Static, TSchema } from 'typebox';
import type { RefusalType } from '../../core/errors.ts';
import type { CursorPagination, ListPagination, Pagination } from '../../core/page.ts';
import type { Principal } from '../../core/principal.ts';
import type { Permission, UserType } from '../../core/scopes.ts';

/**
 * What a caller needs, checked before the rest of the request (docs/decisions/authority.md):
 * - `nothing`: open to all;
 * - `session`: a Bearer access token; a developer key is refused;
 * - `enrolment`: like `session`, and open to sessions that may only enrol a second factor;
 * - `visitor`: like `enrolment`, and open to callers without credentials, for whom `principal` is undefined;
 * - `key`: a developer key; an access token is refused;
 * - `token`: a Bearer access token that the route verifies itself, because its session may have ended;
 * - `caller`: any authenticated caller; the route checks further permissions itself;
 * - a scope: any authenticated caller who has it. `*` is the scope of what no other scope grants: a session of an
 *   administrator has it, a key only if it was granted `*`;
 * - `administrator(…)` and `platformAdministrator(…)`: one of the above, from callers of that user type alone.
 */
export type Need = 'nothing' | 'token' | CallerNeed | UserTypeNeed;
export type CallerKind = 'session' | 'enrolment' | 'visitor' | 'key' | 'caller';
export type CallerNeed = CallerKind | Permission;

/**
 * A rule on the user type. It comes on top of another need, so that no route can check it in place of a key's scope.
 */
export interface UserTypeNeed {
  needs: CallerNeed;
  userTypes: readonly UserType[];
}

/** Only PLATFORM_ADMINs and MERCHANT_ADMINs, who must also meet `needs`. */
export function administrator(needs: CallerNeed): UserTypeNeed {
  return { needs, userTypes: ['MERCHANT_ADMIN', 'PLATFORM_ADMIN'] };
}

/** Only PLATFORM_ADMINs, who must also meet `needs`. */
export function platformAdministrator(needs: CallerNeed): UserTypeNeed {
  return { needs, userTypes: ['PLATFORM_ADMIN'] };
}

/** One request, after authentication and validation. */
export interface Call<Body = unknown, Query = unknown> {
  body: Body;
  query: Query;
  /** The values of `{name}` in the path. */
  params: Readonly<Record<string, string>>;
  /** The bytes of the body, for routes with `rawBody`. Reading it elsewhere is a defect. */
  rawBody: Buffer;
  /** The body as it arrives, for routes with `streamsBody`. Reading it elsewhere is a defect. */
  bodyStream: Readable;
  /** The caller. Reading it in a route that needs `nothing` is a defect; of a `visitor` it may be undefined. */
  principal: Principal;
  requestId: string;
  /** The caller's address. */
  address: string;
  headers: IncomingHttpHeaders;
  /** Of the request, in a route made by `postOnce`; undefined elsewhere. */
  idempotencyKey: string | undefined;
}

export interface Answer<Data> {
  /** The envelope's `data`. */
  data?: Data;
  /**
   * `data` was stored as JSON, perhaps by an earlier version, whose records had other fields. It is sent as it is, and
   * not by the schema, which would refuse it.
   */
  isStored?: boolean;
  /** Writes have a message; reads have none (docs/decisions/answers-and-errors.md). */
  message?: string;
  pagination?: Pagination | CursorPagination | ListPagination;
  /** Instead of the envelope: a page or a file, of one of the endpoint's `documentTypes`. */
  document?: RouteDocument;
  headers?: Record<string, string>;
}

/** A page or a file. */
export type RouteDocument =
  | { type: string; content: string | Buffer | Readable }
  /** With an entity tag, content is made only for a caller that does not have it yet. */
  | { type: string; tag: string; content: () => Promise<string | Buffer> };

/**
 * By page number, with a total; by cursor, in lists that had `after` before (`CursorPagination`) and in others; or by
 * either (`ListPagination`).
 */
export type Paging = boolean | 'by_cursor' | 'by_cursor_only' | 'by_page_or_cursor';

/**
 * A route without its method and path: the shapes of input and output, and the handler, which gets the services of the
 * running node (`app`) with each call. Readers that never call it, such as the docs, need not know what `App` is.
 */
export interface Endpoint<App = never> {
  /**
   * Its name in the OpenAPI document. Default: what follows from the path (`openapi/operation.ts`). Must never change.
   */
  operationId?: string;
  summary: string;
  /** Longer text for the reference page: units, limits, refusals. */
  description?: string;
  body?: TSchema;
  /** Accepts a body of any type instead of JSON, up to this many bytes, as `call.rawBody`. */
  rawBody?: { maximumBytes: number };
  /** Accepts a body of any type and size, as `call.bodyStream`: the handler limits it (`RawBodies.receive`). */
  streamsBody?: true;
  query?: TSchema;
  /** Callers add query parameters that Florin need not know. Every other route refuses unknown ones. */
  takesAnyQuery?: true;
  params?: TSchema;
  headers?: TSchema;
  /** Types of refusals beyond those that follow from its shapes and needs (`openapi/refusals.ts`). */
  refuses?: readonly RefusalType[];
  /** The shape of the envelope's `data`. */
  data: TSchema;
  /** How `data` is paginated, if it is. */
  paged: Paging;
  /** The media types of its answers, if it does not answer with the envelope. */
  documentTypes?: readonly string[];
  /**
   * Its documents have an entity tag: a request with it in `If-None-Match` is answered with 304 if nothing has changed.
   */
  hasEntityTag?: true;
  /** The answer has no end of its own: its duration is not that of a request. */
  isEndless?: boolean;
  /** Media types in which it answers instead of the envelope if the Accept header asks for them. */
  exportTypes?: readonly string[];
  /**
   * The most events that a call usually makes: admission counts them and their deliveries. Default: none, it is
   * admitted at once.
   */
  events?: number;
  /** Takes an Idempotency-Key. */
  once?: true;
  /** The envelope's `message`, unless the answer has its own. */
  message?: string;
  handle: (call: Call<never, never>, app: App) => Promise<Answer<unknown>>;
}

export interface EndpointDefinition<Body extends TSchema, Query extends TSchema, Data extends TSchema, App = unknown> {
  operationId?: string;
  summary: string;
  description?: string;
  body?: Body;
  rawBody?: { maximumBytes: number };
  streamsBody?: true;
  query?: Query;
  takesAnyQuery?: true;
  params?: TSchema;
  headers?: TSchema;
  refuses?: readonly RefusalType[];
  data: Data;
  paged?: Paging;
  documentTypes?: readonly string[];
  hasEntityTag?: true;
  isEndless?: boolean;
  exportTypes?: readonly string[];
  events?: number;
  message?: string;
  handle: (call: Call<Static<Body>, Static<Query>>, app: App) => Promise<Answer<Static<Data>>>;
}

/** An endpoint with its method and path: a value that can be read without a running node. Made by `routesFor`. */
export interface Route<App = never> {
  method: 'GET' | 'POST';
  /** In OpenAPI's notation: `/api/callback/{channel}/{token}`. */
  path: string;
  needs: Need;
  /** Its group in the API reference. */
  group: string;
  endpoint: Endpoint<App>;
}
