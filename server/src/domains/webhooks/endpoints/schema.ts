import { type TSchema, Type } from 'typebox';
import { eventPatterns } from '../../../core/event-types.ts';
import { form } from '../../../core/refusal-rules.ts';
import { pageFields, tenantField } from '../../../platform/http/list-query.ts';
import { changesSomething, livemodeInput, updatedTime } from '../../../platform/http/shapes.ts';
import { forTenant, tenantIdOnWire } from '../../identity/tenants/schema.ts';

export const eventPattern = Type.Enum([...eventPatterns], { $id: 'WebhookEventPattern' });

const url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'The http or https URL that deliveries are posted to, without user name and password.',
});
const events = Type.Array(eventPattern, {
  minItems: 1,
  maxItems: 100,
  description: 'Event types to receive. `transaction.*` matches all types of transactions, `*` all types.',
});
/**
 * 16 characters of a generated secret are 96 bits. A shorter one could be found by brute force from one signed
 * delivery. The rule for secrets that begin with `whsec_` is in `requireDecodableSecret`: patterns without look-ahead
 * cannot express it.
 */
export const secret = (description: string) =>
  Type.String({
    pattern: '^[ -~]{16,256}$',
    title: form('printable_secret'),
    writeOnly: true,
    description: `${description} What follows \`whsec_\` must be base64, as for libraries of Standard Webhooks.`,
  });

export const nullable = <Shape extends TSchema>(shape: Shape, description: string) =>
  Type.Union([shape, Type.Null()], { description });

export const registerInput = Type.Object(
  {
    url,
    events,
    secret: Type.Optional(
      secret('Signs the deliveries. Stored encrypted, never shown. Default: generated, and returned once, here.'),
    ),
    livemode: livemodeInput('live'),
    ...forTenant,
  },
  { $id: 'WebhookRegisterInput', additionalProperties: false },
);

export const endpointId = (description: string) =>
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description });

export const time = (description: string) =>
  Type.String({ format: 'date-time', maxLength: 40, title: form('iso_time_with_offset'), description });

export const modifyInput = Type.Object(
  {
    id: endpointId("The endpoint's id."),
    url: Type.Optional(url),
    events: Type.Optional(events),
    state: Type.Optional(
      Type.Boolean({
        description:
          'false: nothing is sent. true: deliveries are sent; also enables an endpoint that Florin disabled.',
      }),
    ),
    maxInFlight: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: 10_000 }), Type.Null()], {
        title: form('integer_range_or_null', { least: 1, limit: 10_000 }),
        description:
          'Maximum number of deliveries in flight, per node. null: adapts to how promptly the endpoint answers.',
      }),
    ),
    ratePerSecond: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: 100_000 }), Type.Null()], {
        title: form('integer_range_or_null', { least: 1, limit: 100_000 }),
        description: 'Maximum number of deliveries per second, over all nodes. null: no limit.',
      }),
    ),
    retry: Type.Optional(
      Type.Boolean({
        description:
          'true: ends a pause after failures, and sends now what waits for its next try, up to 10,000 deliveries.',
      }),
    ),
  },
  { $id: 'WebhookModifyInput', additionalProperties: false, description: changesSomething },
);

export const endpointInput = Type.Object(
  { id: endpointId("The endpoint's id.") },
  { $id: 'WebhookIdInput', additionalProperties: false },
);

export const rotateInput = Type.Object(
  {
    id: endpointId("The endpoint's id."),
    secret: Type.Optional(secret('The next secret. Replaces a secret that is already staged.')),
    promote: Type.Optional(Type.Literal(true, { description: 'The staged secret replaces the present one now.' })),
    promoteAt: Type.Optional(
      time('When the staged secret replaces the present one. In the future, at most 366 days ahead.'),
    ),
  },
  {
    $id: 'WebhookRotateInput',
    additionalProperties: false,
    description: 'Needs `promote`, or one or both of `secret` and `promoteAt`.',
  },
);

export const endpointQuery = Type.Object({ id: endpointId("The endpoint's id.") });

export const endpointListQuery = Type.Object({
  ...pageFields,
  livemode: Type.Optional(
    Type.Boolean({ description: 'Only endpoints for live (true) or for test (false) events. Default: both.' }),
  ),
  tenantId: tenantField,
});

export const pingResult = Type.Object(
  {
    deliveryId: Type.String({ description: 'The delivery of the ping.' }),
  },
  { $id: 'WebhookTestResult' },
);

/** The object of a ping: the endpoint itself. */
export const pingObject = Type.Object(
  {
    id: Type.Integer(),
    events: Type.Array(eventPattern),
    createdTime: Type.String(),
  },
  { $id: 'WebhookPing' },
);

const commonFields = {
  id: Type.Integer(),
  livemode: Type.Boolean({ description: 'true: receives events of live records. false: of test records.' }),
  url: Type.String(),
  events: Type.Array(eventPattern),
  state: Type.Boolean({ description: 'true: deliveries are sent.' }),
  createdTime: Type.String(),
};

export const registeredEndpoint = Type.Object(
  {
    ...commonFields,
    secret: Type.Optional(
      Type.String({ description: 'The generated secret, if the request had none. Never shown again.' }),
    ),
  },
  { $id: 'RegisteredWebhookEndpoint' },
);

export const endpointRecord = Type.Object(
  {
    ...commonFields,
    tenantId: tenantIdOnWire,
    disabledReason: nullable(
      Type.Enum(['gone', 'failing']),
      'Why Florin disabled the endpoint. `gone`: it answered 410. `failing`: ' +
        'no delivery succeeded for five days. null: it did not.',
    ),
    failingSince: nullable(Type.String(), 'No delivery has succeeded since then. null: the endpoint is not failing.'),
    pausedUntil: nullable(Type.String(), 'After consecutive failures, nothing is sent until then.'),
    maxInFlight: nullable(
      Type.Integer(),
      'Maximum number of deliveries in flight, per node. null: adapts to how promptly the endpoint answers.',
    ),
    ratePerSecond: nullable(Type.Integer(), 'Maximum number of deliveries per second. null: no limit.'),
    nextSecret: Type.Boolean({ description: 'true: another secret is staged and signs too.' }),
    promoteAt: nullable(
      Type.String(),
      'When the staged secret replaces the present one. null: on request, or no secret is staged.',
    ),
    updatedTime,
  },
  { $id: 'WebhookEndpoint' },
);
