import { type TSchema, Type } from 'typebox';
import { eventPatterns } from '../../../core/event-types.ts';
import { pageFields } from '../../../platform/http/list-query.ts';
import { tenantIdOnWire } from '../../identity/tenants/schema.ts';

const eventPattern = Type.Enum([...eventPatterns]);

const url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'Where deliveries are posted: http or https, without user name and password.',
});
const events = Type.Array(eventPattern, {
  minItems: 1,
  maxItems: 100,
  description: 'Event types to receive; `transaction.*` stands for all of a noun, `*` for everything.',
});
export const secret = (description: string) =>
  Type.String({ pattern: '^[ -~]{1,256}$', title: '1 to 256 printable ASCII characters', description });

export const nullable = <Shape extends TSchema>(shape: Shape, description: string) =>
  Type.Union([shape, Type.Null()], { description });

export const registerInput = Type.Object(
  { url, events, secret: secret('Signs the deliveries. Stored sealed, never shown.') },
  { additionalProperties: false },
);

export const endpointId = (description: string) =>
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description });

/** A time to the millisecond, with its offset from UTC. */
export const time = (description: string) =>
  Type.String({ format: 'date-time', maxLength: 40, title: 'a time of ISO 8601 with its offset', description });

export const modifyInput = Type.Object(
  {
    id: endpointId("The endpoint's id."),
    url: Type.Optional(url),
    events: Type.Optional(events),
    state: Type.Optional(
      Type.Boolean({ description: 'false: nothing is sent. true: it is, also to an endpoint that was switched off.' }),
    ),
    maxInFlight: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: 10_000 }), Type.Null()], {
        title: 'an integer from 1 to 10000, or null',
        description: 'Deliveries in flight at most, on each node. null: as many as it answers promptly.',
      }),
    ),
    ratePerSecond: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: 100_000 }), Type.Null()], {
        title: 'an integer from 1 to 100000, or null',
        description: 'Deliveries a second at most, from all nodes together. null: no limit.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const endpointInput = Type.Object({ id: endpointId("The endpoint's id.") }, { additionalProperties: false });

export const rotateInput = Type.Object(
  {
    id: endpointId("The endpoint's id."),
    secret: Type.Optional(secret('The next secret. Takes the place of one that is staged already.')),
    promote: Type.Optional(
      Type.Literal(true, { description: 'The staged secret takes the place of the present one now.' }),
    ),
    promoteAt: Type.Optional(time('When the staged secret takes the place of the present one: in the future.')),
  },
  { additionalProperties: false },
);

export const endpointListQuery = Type.Object(pageFields);

export const pingResult = Type.Object({
  deliveryId: Type.String({ description: 'Of the delivery that carries the ping.' }),
});

export const registeredEndpoint = Type.Object({
  id: Type.Integer(),
  url: Type.String(),
  events: Type.Array(eventPattern),
  state: Type.Boolean({ description: 'true: deliveries are sent.' }),
  createdTime: Type.String(),
});

/** An endpoint as its owners see it: everything but its secrets. */
export const endpointRecord = Type.Object({
  ...registeredEndpoint.properties,
  tenantId: tenantIdOnWire,
  disabledReason: nullable(
    Type.Enum(['gone', 'failing']),
    'Why it was switched off by Florin: it answered 410, or nothing succeeded for five days. null: it was not.',
  ),
  failingSince: nullable(Type.String(), 'Nothing has succeeded since then. null: nothing is wrong.'),
  pausedUntil: nullable(Type.String(), 'After failures in a row nothing is sent until then.'),
  maxInFlight: nullable(
    Type.Integer(),
    'Deliveries in flight at most, on each node. null: as many as it answers promptly.',
  ),
  ratePerSecond: nullable(Type.Integer(), 'Deliveries a second at most. null: no limit.'),
  nextSecret: Type.Boolean({ description: 'true: another secret is staged, and signs beside the present one.' }),
  promoteAt: nullable(Type.String(), 'When the staged secret takes the place of the present one. null: when told to.'),
  updatedTime: nullable(Type.String(), 'null when never updated.'),
});
