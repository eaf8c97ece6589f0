import { version } from '../../server/src/app/cli/version.ts';
import { operationsRoutes } from '../../server/src/app/http/operations.ts';
import { declaredRoutes, groups } from '../../server/src/app/routes.ts';
import { addReference } from '../../server/src/platform/http/reference.ts';
import { addRoute, httpServer } from '../../server/src/platform/http/server.ts';

/** The part of OpenAPI 3.1 that the document of Florin uses. */
export interface OpenApiDocument {
  paths: Record<string, Partial<Record<'get' | 'post', OpenApiOperation>>>;
  components?: { schemas?: Record<string, Schema> };
  webhooks?: Record<string, Partial<Record<'post', OpenApiOperation>>>;
}

export interface OpenApiOperation {
  summary: string;
  description?: string;
  tags?: string[];
  parameters?: {
    name: string;
    in: 'query' | 'path' | 'header';
    required?: boolean;
    schema: Schema;
    description?: string;
  }[];
  requestBody?: { required?: boolean; content: Record<string, { schema?: Schema }> };
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}

/** The part of JSON Schema that the routes use. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  description?: string;
}

/** The document that every node serves at /openapi.json, made without starting one. */
export async function openApiDocument(): Promise<OpenApiDocument> {
  const app = httpServer({
    authenticate: () => Promise.reject(new Error('This server takes no requests.')),
    onReply: () => {},
    onDefect: () => {},
  });
  await addReference(app, {
    title: 'Florin',
    version,
    description: '',
    publicUrl: 'http://127.0.0.1',
    groups: [...groups],
  });
  const deps = { primary: { absence: undefined, hasBeenWritable: true }, clock: () => 0, isStopping: () => false };
  for (const route of [...operationsRoutes(deps), ...declaredRoutes()]) {
    addRoute(app, route, { authenticate: () => Promise.reject(new Error('This server takes no requests.')) });
  }
  await app.ready();
  const document = app.swagger() as unknown as OpenApiDocument;
  await app.close();
  return document;
}
