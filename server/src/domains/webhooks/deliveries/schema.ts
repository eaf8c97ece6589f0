import { Type } from 'typebox';
import { eventTypes, pingType } from '../../../core/event-types.ts';
import { cursorListFields, searchField, tenantField, timeFields } from '../../../platform/http/list-query.ts';
import { described, idOf, livemode, livemodeFilter } from '../../../platform/http/shapes.ts';
import { tenantIdOnWire } from '../../identity/tenants/schema.ts';
import { endpointId, nullable, time } from '../endpoints/schema.ts';
import { deliveryStates } from './statements.ts';

export const state = Type.Enum([...deliveryStates], { $id: 'DeliveryState' });
const deliveryId = Type.String({ minLength: 1, maxLength: 100, description: 'Delivery id, beginning with `dlv_`.' });

export const deliveryListQuery = Type.Object({
  ...cursorListFields,
  endpointId: Type.Optional(endpointId('Only deliveries to this endpoint; it may have been removed.')),
  state: Type.Optional(state),
  eventType: Type.Optional(Type.Enum([...eventTypes, pingType])),
  eventId: Type.Optional(idOf('evt', 'Only deliveries of this event.')),
  search: searchField('their id or the id of their event', '^(?:dlv|evt)_[0-9a-f]{32}$'),
  ...timeFields,
  tenantId: tenantField,
  livemode: livemodeFilter,
});

export const deliveryQuery = Type.Object({ id: deliveryId });

export const deliveryRecord = Type.Object(
  {
    id: Type.String({ description: 'Id of this delivery.' }),
    sentAs: Type.String({
      description: 'The id in `X-Service-Delivery`: the id of the replayed delivery, or its own.',
    }),
    tenantId: tenantIdOnWire,
    endpointId: Type.Integer(),
    livemode,
    url: Type.String({ description: "The endpoint's present URL." }),
    eventId: Type.String(),
    eventType: Type.Enum([...eventTypes, pingType]),
    objectId: Type.String({ description: 'Id of the record that the event is about.' }),
    state: described(state, 'OPEN: being sent, or waiting for its first attempt or a retry.'),
    attemptCount: Type.Integer({ description: 'Attempts that have ended.' }),
    lastStatus: nullable(
      Type.Integer(),
      'HTTP status of the last answer. null: there was no answer, or the attempt is no longer kept.',
    ),
    lastOutcome: nullable(Type.String(), 'Outcome of the last attempt: `ok` or the kind of failure.'),
    nextAttemptTime: nullable(Type.String(), 'When it is due. null unless it is OPEN.'),
    createdTime: Type.String(),
    finishedTime: nullable(Type.String(), 'null while it is OPEN.'),
  },
  { $id: 'Delivery' },
);

export const attempt = Type.Object(
  {
    number: Type.Integer(),
    time: Type.String({ description: 'When it was sent.' }),
    durationMs: Type.Integer(),
    status: nullable(Type.Integer(), 'HTTP status. null: there was no answer.'),
    outcome: Type.String({ description: '`ok` or the kind of failure.' }),
    resent: Type.Boolean({ description: 'true: sent twice, because the receiver was closing the idle connection.' }),
    address: nullable(Type.String(), 'IP address of the connection. null: no connection was made.'),
    responseHeaders: nullable(
      Type.Object({}, { additionalProperties: true }),
      'At most 4 KiB of headers. null: there was no answer, or it came from a private address that is not among ' +
        '`app.webhook.allow-targets`.',
    ),
    responseBody: nullable(
      Type.String(),
      'The first 8 KiB, decoded as UTF-8. null: there was no body, or the headers are not shown either.',
    ),
  },
  { $id: 'DeliveryAttempt' },
);

export const deliveryDetail = Type.Object(
  {
    ...deliveryRecord.properties,
    attempts: Type.Array(attempt, { description: 'Oldest first. Old attempts are deleted.' }),
    runs: Type.Array(Type.Object({ id: Type.String(), state, createdTime: Type.String() }), {
      description: 'All deliveries with the same `sentAs`, including this one, oldest first.',
    }),
  },
  { $id: 'DeliveryDetail' },
);

/**
 * Selects the events of a replay by the state of their delivery. MISSING: none was enqueued, the endpoint was switched
 * off.
 */
export const replayedStates = ['SUCCEEDED', 'FAILED', 'CANCELLED', 'MISSING'] as const;
export type ReplayedState = (typeof replayedStates)[number];

export const replayInput = Type.Object(
  {
    deliveryId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Replays this delivery. Not together with other fields.',
      }),
    ),
    endpointId: Type.Optional(endpointId('Replays all events of this endpoint since `since`.')),
    since: Type.Optional(time('Start of the replay. Required with `endpointId`.')),
    until: Type.Optional(time('End of the replay, exclusive. Default: now.')),
    states: Type.Optional(
      Type.Array(Type.Enum([...replayedStates]), {
        minItems: 1,
        maxItems: replayedStates.length,
        uniqueItems: true,
        description:
          'Only events whose delivery is in one of these states. MISSING: ' +
          'events without a delivery, because the endpoint was switched off. Default: all.',
      }),
    ),
  },
  {
    $id: 'WebhookReplayInput',
    additionalProperties: false,
    description: 'Needs `deliveryId`, or `endpointId` and `since`.',
  },
);

export const replayResult = Type.Object(
  {
    deliveryId: nullable(Type.String(), 'The new delivery. null when `endpointId` was given.'),
    replayId: nullable(
      Type.String(),
      'The replay, for `/api/webhook/replay/detail`. null when `deliveryId` was given.',
    ),
  },
  { $id: 'StartedWebhookReplay' },
);

export const replayQuery = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 100, description: 'Replay id, beginning with `rpl_`.' }),
});

export const replayRecord = Type.Object(
  {
    id: Type.String(),
    endpointId: Type.Integer(),
    since: Type.String(),
    until: Type.String(),
    states: Type.Array(Type.Enum([...replayedStates])),
    state: Type.Enum(['RUNNING', 'DONE', 'STOPPED'], {
      description: 'STOPPED: the endpoint was switched off or removed during the replay.',
    }),
    reachedTime: Type.String({ description: 'Events up to this time have been replayed.' }),
    eventCount: Type.Integer({ description: 'Events examined, of any type.' }),
    deliveryCount: Type.Integer({ description: 'Deliveries enqueued.' }),
    createdTime: Type.String(),
    finishedTime: nullable(Type.String(), 'null while it is RUNNING.'),
  },
  { $id: 'WebhookReplay' },
);

/** The headers of a delivery (interface, Headers on each delivery; Standard Webhooks). */
export const deliveryHeaders = {
  'X-Service-Signature': 'Hex-encoded HMAC-SHA256 of the raw body with the secret of the endpoint.',
  'X-Service-Event': 'The event type.',
  'X-Service-Delivery': 'The id of the delivery, the same for every attempt.',
  'webhook-id': 'The id of the event, as Standard Webhooks names it.',
  'webhook-timestamp': 'When the attempt was made, in seconds since 1970.',
  'webhook-signature': 'The signature of Standard Webhooks: `v1,` and base64.',
} as const;
