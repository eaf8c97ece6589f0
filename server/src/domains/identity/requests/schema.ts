import { Type } from 'typebox';
import { cursorOnlyFields, furtherFields, tenantField, timeFields } from '../../../platform/http/list-query.ts';
import { nullable } from '../../../platform/http/shapes.ts';
import { tenantIdOnWire } from '../tenants/schema.ts';
import { requestFilters } from './list-statements.ts';

const optional = ['address', 'userAgent', 'idempotencyKey', 'error'] as const;

export const requestListQuery = Type.Object({
  ...cursorOnlyFields,
  ...requestFilters.fields,
  ...timeFields,
  tenantId: tenantField,
  livemode: Type.Optional(
    Type.Boolean({
      description:
        'Only requests about live records (true) or test records (false). Default: ' +
        'the mode of the key; all for a session.',
    }),
  ),
  fields: furtherFields(optional),
});

export const requestQuery = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 100, description: '`req_` and a time-ordered body.' }),
});

const error = Type.Union(
  [
    Type.Object({
      type: Type.String({ description: 'One of [errors](../errors.md).' }),
      field: nullable(Type.String()),
      message: Type.String({ description: 'At most 500 characters.' }),
    }),
    Type.Null(),
  ],
  { description: 'The refusal; null: the request succeeded.' },
);

const optionalShapes = {
  address: nullable(Type.String({ description: "The caller's IP address." })),
  userAgent: nullable(Type.String({ description: 'The `User-Agent` header; at most 200 characters.' })),
  idempotencyKey: nullable(Type.String({ description: 'The `Idempotency-Key` header.' })),
  error,
};

const shapes = {
  id: Type.String({ description: '`req_` and a time-ordered body.' }),
  livemode: Type.Union([Type.Boolean(), Type.Null()], {
    description: 'The mode of the key, or of the records in the answer; null: neither.',
  }),
  tenantId: Type.Optional(tenantIdOnWire),
  createdTime: Type.String({ description: 'When it was answered.' }),
  method: Type.Enum(['GET', 'HEAD', 'POST']),
  path: Type.String({ description: 'Without the query.' }),
  status: Type.Integer({ description: 'The HTTP status of the answer.' }),
  durationMs: Type.Integer({ description: 'From the first byte of the request to the end of the answer.' }),
  requestId: Type.String({
    description: 'The `X-Request-Id` of the answer. Callers can choose it, so it need not be unique.',
  }),
  by: Type.Enum(['session', 'key'], { description: 'How the caller was authenticated.' }),
  userId: Type.Integer({ description: 'The user, or the owner of the key.' }),
  keyId: nullable(Type.Integer({ description: 'The developer key that was used.' })),
  errorType: nullable(Type.String({ description: 'The type of the refusal; null: the request succeeded.' })),
};

/** A row of the list. */
export const listedRequest = Type.Object(
  { ...shapes, ...Type.Partial(Type.Object(optionalShapes)).properties },
  { $id: 'ListedRequest' },
);

export const requestRecord = Type.Object({ ...shapes, ...optionalShapes }, { $id: 'Request' });
