import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

/** The page shows this service's reference and no other: the bar that would load others is left out. */
const withoutTopbar = '.swagger-ui .topbar { display: none; }';

const ownFilesOnly =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export interface ReferenceOptions {
  title: string;
  version: string;
  description: string;
  /** Where the service is reached. */
  publicUrl: string;
  groups: { name: string; description: string }[];
}

/**
 * The OpenAPI document of every route added afterwards, at /openapi.json, and a page to read and try it at /docs,
 * served from our own files: it asks nobody else for anything.
 */
export async function addReference(app: FastifyInstance, options: ReferenceOptions): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: options.title,
        version: options.version,
        description: options.description,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: options.publicUrl }],
      tags: options.groups,
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token from login.' },
          apiKey: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description: 'A developer key, written `ApiKey sk_live_…`.',
          },
        },
      },
    },
    transformObject: (document) =>
      'openapiObject' in document ? withOptionalBodies(document.openapiObject) : document.swaggerObject,
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: ownFilesOnly,
    uiConfig: { docExpansion: 'list', persistAuthorization: false, tryItOutEnabled: true, validatorUrl: null },
    theme: { title: options.title, css: [{ filename: 'plain.css', content: withoutTopbar }] },
  });
  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) => reply.send(app.swagger()));
}

interface Document {
  paths?: Record<string, { post?: { requestBody?: unknown } } | undefined>;
}

interface RequestBody {
  required: boolean;
  content: { 'application/json'?: { schema: { anyOf?: { type?: string }[] } } };
}

/** A body that may be null may be left out altogether; the library calls every body required. */
function withOptionalBodies<Given extends object>(document: Given): Given {
  for (const path of Object.values((document as Document).paths ?? {})) {
    const body = path?.post?.requestBody as RequestBody | undefined;
    if (body === undefined) continue;
    body.required = !body.content['application/json']?.schema.anyOf?.some(({ type }) => type === 'null');
  }
  return document;
}
