import type { IncomingHttpHeaders } from 'node:http';
import type { Static, TSchema } from 'typebox';
import type { CursorPagination, Pagination } from '../../core/page.ts';
import type { Principal } from '../../core/principal.ts';
import type { Scope } from '../../core/scopes.ts';

/**
 * What a caller must have before a route is even read further (decisions, Who may do what):
 * - `nothing`: open to all;
 * - `session`: a Bearer access token (a developer key will not do);
 * - `token`: a Bearer access token that the route verifies itself, since its session may have ended;
 * - `caller`: anyone known; the route itself looks closer;
 * - `platform_administrator`: a PLATFORM_ADMIN, by session or key;
 * - a scope: anyone known who holds it.
 */
export type Need = 'nothing' | 'token' | 'session' | 'caller' | 'platform_administrator' | Scope;

/** One request, after authentication and validation. */
export interface Call<Body, Query> {
  body: Body;
  query: Query;
  /** What stands where the path has `{name}`. */
  params: Readonly<Record<string, string>>;
  /** The body as it came, of a route that takes any (`rawBody`). Others have none: reading it there is a defect. */
  rawBody: Buffer;
  /** Who calls. Routes that need nothing have nobody: reading it there is a defect. */
  principal: Principal;
  requestId: string;
  /** The caller's address. */
  address: string;
  headers: IncomingHttpHeaders;
}

export interface Answer<Data> {
  /** The envelope's `data`; or `json`, the same already written as JSON. */
  data?: Data;
  json?: string;
  /** Writes say what they did; reads say nothing (decisions, Replies and errors). */
  message?: string;
  pagination?: Pagination | CursorPagination;
  /** Instead of the envelope: a page or a file, of one of the endpoint's `documentTypes`. */
  document?: { type: string; content: string | Buffer };
  headers?: Record<string, string>;
}

/** By number, with a total; or on from where the last page ended. */
export type Paging = boolean | 'by_cursor';

/** What a route does, without where it stands: shapes in, shape out, and the handler between them. */
export interface Endpoint {
  summary: string;
  /** Longer text for the reference page: units, limits, refusals. */
  description?: string;
  body?: TSchema;
  /** Instead of JSON: a body of any kind, up to so many bytes, as `call.rawBody`. */
  rawBody?: { maximumBytes: number };
  query?: TSchema;
  params?: TSchema;
  headers?: TSchema;
  /** The shape of the envelope's `data`. */
  data: TSchema;
  /** Whether `data` comes in pages, and how the next one is asked for. */
  paged: Paging;
  /** The media types it answers with, where that is not the envelope. */
  documentTypes?: readonly string[];
  handle: (call: Call<never, never>) => Promise<Answer<unknown>>;
}

export interface EndpointDefinition<Body extends TSchema, Query extends TSchema, Data extends TSchema> {
  summary: string;
  description?: string;
  body?: Body;
  rawBody?: { maximumBytes: number };
  query?: Query;
  params?: TSchema;
  headers?: TSchema;
  data: Data;
  paged?: Paging;
  documentTypes?: readonly string[];
  handle: (call: Call<Static<Body>, Static<Query>>) => Promise<Answer<Static<Data>>>;
}

export function endpoint<Body extends TSchema, Query extends TSchema, Data extends TSchema>(
  definition: EndpointDefinition<Body, Query, Data>,
): Endpoint {
  return { paged: false, ...definition } as unknown as Endpoint;
}

/** An endpoint with its method and path. Each module declares its own (`module.ts`). */
export interface Route {
  method: 'GET' | 'POST';
  /** Answers HEAD as well, as balancers ask. */
  head?: boolean;
  /** As OpenAPI writes it: `/api/callback/{channel}`. */
  path: string;
  needs: Need;
  /** The group it stands in on the reference page. */
  group: string;
  endpoint: Endpoint;
}

/** A GET route. `needs` is checked before anything else of the request is read. */
export function get<Body extends TSchema, Query extends TSchema, Data extends TSchema>(
  path: string,
  needs: Need,
  group: string,
  definition: EndpointDefinition<Body, Query, Data>,
): Route {
  return { method: 'GET', path, needs, group, endpoint: endpoint(definition) };
}

/** A POST route. */
export function post<Body extends TSchema, Query extends TSchema, Data extends TSchema>(
  path: string,
  needs: Need,
  group: string,
  definition: EndpointDefinition<Body, Query, Data>,
): Route {
  return { method: 'POST', path, needs, group, endpoint: endpoint(definition) };
}
