import type { Steps } from '../../concurrency/in-pieces.ts';
import type { Route } from '../route.ts';
import { stateInputNulls } from './input-nulls.ts';
import { type OperationExample, type OperationNotes, operationOf } from './operation.ts';
import { DocumentSchemas, type Json } from './schemas.ts';
import { type DocumentedEvent, webhooksOf } from './webhooks.ts';

export interface DocumentOptions {
  title: string;
  version: string;
  description: string;
  /** The public address of the service. */
  publicUrl: string;
  groups: readonly { name: string; description: string }[];
  events: readonly DocumentedEvent[];
  /** The headers of a delivery, each with its description. */
  deliveryHeaders: Readonly<Record<string, string>>;
  /** Requests that were answered 200, by operation id. */
  examples: Readonly<Record<string, OperationExample>>;
  /** What is written by hand about operations, by method and path: `POST /api/refund/create`. */
  notes?: ReadonlyMap<string, OperationNotes>;
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  openapi: string;
  info: Json;
  servers: Json[];
  tags: Json[];
  paths: Record<string, Record<string, Json>>;
  webhooks: Record<string, Json>;
  components: { schemas: Record<string, Json>; securitySchemes: Json };
}

/** The OpenAPI document of these routes: half a second of computing, with a step for each route. */
export function* openApiDocument(routes: readonly Route[], options: DocumentOptions): Steps<OpenApiDocument> {
  const schemas = new DocumentSchemas();
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: operationOf(
        route,
        schemas,
        options.examples,
        options.notes?.get(`${route.method} ${route.path}`),
      ),
    };
    yield;
  }
  const webhooks = webhooksOf(options.events, options.deliveryHeaders, schemas);
  yield;
  stateInputNulls(paths, webhooks, schemas.used);
  yield;
  return {
    openapi: '3.1.0',
    info: {
      title: options.title,
      version: options.version,
      description: options.description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: options.publicUrl }],
    tags: options.groups.map(({ name, description }) => ({ name, description })),
    paths,
    webhooks,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas.used).toSorted(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token from login.' },
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'A developer key, written `ApiKey sk_live_…`.',
        },
        console: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-florin',
          description:
            'The session of the console, which no script can read: for pages of the same origin alone. ' +
            'Requests of scripts need the header `X-Florin-Console`. ' +
            'Without https the cookie is called `florin-` and the port. ' +
            'A path of the public address is added to the name: `__Host-florin-pay`.',
        },
      },
    },
  };
}
