import { Type } from 'typebox';

export const streamQuery = Type.Object({
  follow: Type.Optional(
    Type.Boolean({ description: 'false: answers what has happened since `Last-Event-ID`, and ends. Default true.' }),
  ),
});

export const lastEventHeader = Type.Object(
  {
    'last-event-id': Type.Optional(
      Type.String({
        maxLength: 100,
        documented: { pattern: '^(?:evt_[0-9a-f]{32})?$' },
        description: 'The last event that was received.',
      }),
    ),
  },
  { additionalProperties: true },
);
