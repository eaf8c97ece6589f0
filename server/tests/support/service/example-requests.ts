import { declaredOpenApi } from '../../../src/app/openapi/document.ts';
import examples from '../../../src/app/openapi/examples.json' with { type: 'json' };
import { type BodyShape, bodyShapeOf } from '../body-fields.ts';

/** The records that the `id` of a request names, by the beginning of its path. */
const recordsOfPaths = {
  '/api/webhook/delivery/': 'delivery',
  '/api/webhook/replay/': 'replay',
  '/api/webhook/': 'webhook',
  '/api/inbox/': 'inbox',
  '/api/event/': 'event',
  '/api/user/': 'user',
  '/api/tenant/': 'tenant',
  '/api/seller/': 'tenant',
  '/api/developer/': 'key',
  '/api/channel/': 'channel',
  '/api/transaction/': 'transaction',
  '/api/refund/': 'refund',
  '/api/payment-method/': 'method',
  '/api/customer/': 'payer',
  '/api/invoice/': 'invoice',
  '/api/clock/': 'clock',
  '/api/plan/': 'plan',
  '/api/subscription/': 'subscription',
  '/api/checkout/': 'checkout',
} as const;

/** The records that other fields of a request name. The first that a request requires is the record of its owner. */
const recordsOfFields = { transactionId: 'paid', channelId: 'channel', customerId: 'payer', planId: 'plan' } as const;

type RecordName =
  | (typeof recordsOfPaths)[keyof typeof recordsOfPaths]
  | (typeof recordsOfFields)[keyof typeof recordsOfFields];

/** The id that a field of this request names, of these records; undefined: it names none. */
export function idIn(
  ids: Readonly<Record<RecordName, string | number>>,
  route: string,
  field: string,
): string | number | undefined {
  const name = recordNamed(route, field);
  return name && ids[name];
}

function recordNamed(route: string, field: string): RecordName | undefined {
  if (field !== 'id') return (recordsOfFields as Record<string, RecordName>)[field];
  const path = route.slice(route.indexOf('/'));
  return Object.entries(recordsOfPaths).find(([beginning]) => path.startsWith(beginning))?.[1];
}

/** A request as the OpenAPI document shows it. */
export interface ExampleRequest {
  in: 'query' | 'body';
  /** The body of the recorded request. A query has only what names a record. */
  example: Record<string, unknown>;
  /** The field that names the record. It is optional where a request without it makes one. */
  naming: { field: string; isOptional: boolean } | undefined;
}

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; required?: boolean }[];
  requestBody?: { content: { 'application/json'?: { schema: BodyShape } } };
}

const document = declaredOpenApi() as unknown as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, BodyShape> };
};
const recorded = examples as unknown as Record<string, { body?: Record<string, unknown> }>;

/** The example of a route such as `GET /api/plan/detail`. */
export function requestOf(route: string): ExampleRequest {
  const [method = '', path = ''] = route.split(' ');
  const operation = document.paths[path]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`The document has no ${route}.`);
  const { parameters = [], operationId } = operation;
  if (method === 'GET') {
    const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
    return {
      in: 'query',
      example: {},
      naming: namingIn(
        route,
        required.map(({ name }) => name),
        [],
      ),
    };
  }
  const { properties = {}, required = [] } = bodyShapeOf(operation, document);
  const { id: _id, ...example } = recorded[operationId]?.body ?? {};
  return { in: 'body', example, naming: namingIn(route, required, Object.keys(properties)) };
}

function namingIn(route: string, required: readonly string[], fields: readonly string[]): ExampleRequest['naming'] {
  const candidates = ['id', ...Object.keys(recordsOfFields)].filter((field) => recordNamed(route, field) !== undefined);
  const field = candidates.find((name) => required.includes(name));
  if (field !== undefined) return { field, isOptional: false };
  return fields.includes('id') && recordNamed(route, 'id') ? { field: 'id', isOptional: true } : undefined;
}
