import { Type } from 'typebox';
import { eventPatterns } from '../../vocabulary/event-types.ts';

const eventPattern = Type.Enum([...eventPatterns]);

export const registerInput = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'Where deliveries are posted: http or https, without user name and password.',
    }),
    events: Type.Array(eventPattern, {
      minItems: 1,
      maxItems: 100,
      description: 'Event types to receive; `transaction.*` stands for all of a noun, `*` for everything.',
    }),
    secret: Type.String({
      pattern: '^[ -~]{1,256}$',
      title: '1 to 256 printable ASCII characters',
      description: 'Signs the deliveries. Stored sealed, never shown.',
    }),
  },
  { additionalProperties: false },
);

export const registeredEndpoint = Type.Object({
  id: Type.Integer(),
  url: Type.String(),
  events: Type.Array(eventPattern),
  state: Type.Boolean({ description: 'true: deliveries are sent.' }),
  createdTime: Type.String(),
});
