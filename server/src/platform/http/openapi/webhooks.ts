import type { TSchema } from 'typebox';
import { livemode } from '../shapes.ts';
import type { DocumentSchemas, Json } from './schemas.ts';

/** An event type that is sent to webhook endpoints. */
export interface DocumentedEvent {
  type: string;
  description: string;
  /** The shape of `data.object`. */
  object: TSchema | undefined;
}

/** The webhooks of the document: one POST for each event type, with its payload and the headers of a delivery. */
export function webhooksOf(
  events: readonly DocumentedEvent[],
  headers: Readonly<Record<string, string>>,
  schemas: DocumentSchemas,
): Record<string, Json> {
  const parameters = Object.entries(headers).map(([name, description]) => {
    return { name, in: 'header', required: true, description, schema: { type: 'string' } };
  });
  return Object.fromEntries(
    events.map((event) => {
      const name = camelCase(event.type);
      const schema = schemas.add(`${name}Event`, () => payloadOf(event, schemas));
      const post = {
        operationId: `on${name}`,
        summary: event.type,
        description: event.description,
        security: [],
        // No operation of clients: openapi-generator would write one for typescript-fetch that does not compile.
        'x-internal': true,
        parameters,
        requestBody: { required: true, content: { 'application/json': { schema } } },
        responses: {
          '2XX': { description: 'Delivered. Any other answer, and none within the time limit, is a failed attempt.' },
          '410': { description: 'The endpoint is gone: it is disabled.' },
        },
      };
      return [event.type, { post }];
    }),
  );
}

function payloadOf({ type, object }: DocumentedEvent, schemas: DocumentSchemas): Json {
  const properties = {
    id: { type: 'string', description: 'The id of the event.' },
    type: { type: 'string', const: type },
    created: { type: 'integer', format: 'int64', description: 'When it happened, in seconds since 1970.' },
    apiVersion: { type: 'string', description: 'The version of the interface whose records the payload shows.' },
    livemode: schemas.refer(livemode),
    data: {
      type: 'object',
      required: ['object'],
      properties: { object: object === undefined ? { type: 'object' } : schemas.refer(object) },
    },
  };
  return { type: 'object', required: Object.keys(properties), properties };
}

/** `transaction.action_required` becomes `TransactionActionRequired`. */
const camelCase = (type: string) =>
  type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
