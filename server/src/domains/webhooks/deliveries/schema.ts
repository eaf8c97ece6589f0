import { Type } from 'typebox';
import { eventTypes, pingType } from '../../../core/event-types.ts';
import { cursorFields, dayFields } from '../../../platform/http/list-query.ts';
import { tenantIdOnWire } from '../../identity/tenants/schema.ts';
import { endpointId, nullable, time } from '../endpoints/schema.ts';
import { deliveryStates } from './statements.ts';

const state = Type.Enum([...deliveryStates]);
const deliveryId = Type.String({ minLength: 1, maxLength: 100, description: '`dlv_` and a body.' });

export const deliveryListQuery = Type.Object({
  ...cursorFields,
  endpointId: Type.Optional(endpointId('Only deliveries to this endpoint, which may have been removed.')),
  state: Type.Optional(state),
  eventType: Type.Optional(Type.Enum([...eventTypes, pingType])),
  eventId: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Only deliveries of this event.' })),
  ...dayFields,
});

export const deliveryQuery = Type.Object({ id: deliveryId });

export const deliveryRecord = Type.Object({
  id: Type.String({ description: 'Of this delivery alone.' }),
  sentAs: Type.String({
    description: 'What it is sent under, `X-Service-Delivery`: that of the delivery it repeats, or its own.',
  }),
  tenantId: tenantIdOnWire,
  endpointId: Type.Integer(),
  url: Type.String({ description: "The endpoint's address as it is now." }),
  eventId: Type.String(),
  eventType: Type.Enum([...eventTypes, pingType]),
  objectId: Type.String({ description: 'The record that the event happened to.' }),
  state: Type.Enum([...deliveryStates], { description: 'OPEN: on its way, or waiting to be tried again.' }),
  attemptCount: Type.Integer({ description: 'Tries that have ended.' }),
  lastStatus: nullable(Type.Integer(), 'What the last try was answered. null: nothing, or it is no longer kept.'),
  lastOutcome: nullable(Type.String(), 'How the last try ended: `ok`, or what went wrong.'),
  nextAttemptTime: nullable(Type.String(), 'When it is due, while it is OPEN.'),
  createdTime: Type.String(),
  finishedTime: nullable(Type.String(), 'null while it is OPEN.'),
});

export const attempt = Type.Object({
  number: Type.Integer(),
  time: Type.String({ description: 'When it was sent.' }),
  durationMs: Type.Integer(),
  status: nullable(Type.Integer(), 'What it was answered. null: nothing.'),
  outcome: Type.String({ description: '`ok`, or what went wrong.' }),
  resent: Type.Boolean({ description: 'true: sent twice, because the receiver was just closing the connection.' }),
  address: nullable(Type.String(), 'The address that was connected to.'),
  responseHeaders: nullable(
    Type.Object({}, { additionalProperties: true }),
    'At most 4 KiB of them. null: there was no answer.',
  ),
  responseBody: nullable(Type.String(), 'The first 8 KiB, read as UTF-8. null: there was none.'),
});

export const deliveryDetail = Type.Object({
  ...deliveryRecord.properties,
  attempts: Type.Array(attempt, { description: 'Oldest first, as long as they are kept.' }),
  runs: Type.Array(Type.Object({ id: Type.String(), state, createdTime: Type.String() }), {
    description: 'Every delivery that was sent under the same id, this one too, oldest first.',
  }),
});

/** What of an endpoint's past is sent again: by what became of it. MISSING: no delivery was made, as it was switched off. */
export const replayedStates = ['SUCCEEDED', 'FAILED', 'CANCELLED', 'MISSING'] as const;
export type ReplayedState = (typeof replayedStates)[number];

export const replayInput = Type.Object(
  {
    deliveryId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'Sends this one again. Goes alone.' }),
    ),
    endpointId: Type.Optional(endpointId('Sends to this endpoint again what happened since.')),
    since: Type.Optional(time('Events from then on.')),
    until: Type.Optional(time('Events before then. Left out: until now.')),
    states: Type.Optional(
      Type.Array(Type.Enum([...replayedStates]), {
        minItems: 1,
        maxItems: replayedStates.length,
        uniqueItems: true,
        description:
          'Only events whose delivery ended so; MISSING: that never had one, because the endpoint was switched off. Left ' +
          'out: all of them.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const replayResult = Type.Object({
  deliveryId: nullable(Type.String(), 'Of one delivery: the one that sends it again.'),
  replayId: nullable(Type.String(), 'Of all since a time: whose progress can be asked for.'),
});

export const replayQuery = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 100, description: '`rpl_` and a body.' }),
});

export const replayRecord = Type.Object({
  id: Type.String(),
  endpointId: Type.Integer(),
  since: Type.String(),
  until: Type.String(),
  states: Type.Array(Type.Enum([...replayedStates])),
  state: Type.Enum(['RUNNING', 'DONE', 'STOPPED'], {
    description: 'STOPPED: the endpoint was switched off or removed meanwhile.',
  }),
  reachedTime: Type.String({ description: 'How far it has come between `since` and `until`.' }),
  eventCount: Type.Integer({ description: 'Events looked at, of any type.' }),
  deliveryCount: Type.Integer({ description: 'Deliveries made.' }),
  createdTime: Type.String(),
  finishedTime: nullable(Type.String(), 'null while it is RUNNING.'),
});
