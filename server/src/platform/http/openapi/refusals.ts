import type { TSchema } from 'typebox';
import { Refusal, type RefusalType } from '../../../core/errors.ts';
import { documentationOf, statusOf } from '../refusal-reply.ts';
import type { Endpoint, Need, Route } from '../route.ts';
import { refusal } from '../route-schema.ts';
import type { DocumentSchemas, Json } from './schemas.ts';

/** How an operation may refuse, by HTTP status. `x-error-types` lists the values of `error.type`. */
export function refusalsOf(route: Route, schemas: DocumentSchemas): Record<string, Json> {
  const types = Map.groupBy([...new Set(refusalTypesOf(route))], (type) => statusOf(new Refusal(type, '')));
  // A query is part of the head of a request, which the HTTP server limits before anything is known of the operation.
  if (route.endpoint.query !== undefined) types.set(431, ['invalid_request']);
  return Object.fromEntries(
    [...types].map(([status, sameStatus]) => [
      status,
      {
        description: describe(status, sameStatus),
        'x-error-types': sameStatus,
        ...(status === 429 || status === 503 ? { headers: retryAfter } : {}),
        content: { 'application/json': { schema: schemas.refer(refusal) } },
      },
    ]),
  );
}

function describe(status: number, types: readonly RefusalType[]): string {
  const names = types.map((type) => `[\`${type}\`](${documentationOf(type)})`).join(', ');
  return status === 431 ? `${names}: headers and query are over 16 KiB` : names;
}

const retryAfter = {
  'Retry-After': { description: 'After how many seconds to try again.', schema: { type: 'integer', format: 'int32' } },
};

/** What follows from the shapes and needs of the endpoint, and what it declares itself. */
function refusalTypesOf({ needs, endpoint }: Route): RefusalType[] {
  return [
    ...inputRefusals(endpoint),
    ...callerRefusals(needs),
    ...(endpoint.refuses ?? []),
    'too_many_requests',
    'internal_error',
    'overloaded',
    'database_unavailable',
    'storage_full',
    'shutting_down',
  ];
}

function inputRefusals({ body, rawBody, query, params, headers }: Endpoint): RefusalType[] {
  return [
    'invalid_request',
    ...(body ? (['malformed_json', 'not_json', 'encoding_not_supported'] as const) : []),
    ...(body || rawBody ? (['body_too_large'] as const) : []),
    ...(namesRecord(body) || requiresRecord(query) || params ? (['record_not_found'] as const) : []),
    ...([query, body].some((schema) => fieldsOf(schema).some(hasMode)) ? (['livemode_mismatch'] as const) : []),
    ...(fieldsOf(query).includes('tenantId') ? (['role_missing'] as const) : []),
    ...(fieldsOf(headers).includes('idempotency-key') ? (['idempotency_mismatch'] as const) : []),
  ];
}

/** Also those of a body that may be null. */
function fieldsOf(schema: TSchema | undefined): string[] {
  const { properties = {}, anyOf = [] } = (schema ?? {}) as Shape;
  return [...Object.keys(properties), ...anyOf.flatMap(fieldsOf)];
}

/** These records have a mode, which must be that of the records that refer to them. */
const hasMode = (name: string) => name === 'livemode' || /(channel|plan|invoice|clock)Ids?$/i.test(name);
const isId = (name: string) => name === 'id' || /Ids?$/.test(name);
const namesRecord = (schema: TSchema | undefined) => fieldsOf(schema).some(isId);
const requiresRecord = (schema: TSchema | undefined) => (schema as Shape | undefined)?.required?.some(isId) ?? false;

interface Shape {
  properties?: object;
  anyOf?: readonly TSchema[];
  required?: readonly string[];
}

function callerRefusals(need: Need): RefusalType[] {
  const { needs, isLimited } =
    typeof need === 'string' ? { needs: need, isLimited: false } : { needs: need.needs, isLimited: true };
  if (needs === 'nothing') return [];
  const takesKeys = needs !== 'token' && needs !== 'session' && needs !== 'enrolment' && needs !== 'visitor';
  const isScope = takesKeys && needs !== 'caller' && needs !== 'key';
  return [
    ...(needs === 'visitor' ? [] : (['credentials_missing'] as const)),
    'credentials_invalid',
    // Keys and the console's cookie are checked first, also where they are not accepted.
    'address_not_allowed',
    'origin_not_allowed',
    ...(needs === 'token' || needs === 'enrolment' || needs === 'visitor'
      ? []
      : (['second_factor_not_enrolled'] as const)),
    ...(isScope ? (['scope_missing'] as const) : []),
    ...(isLimited ? (['role_missing'] as const) : []),
  ];
}
