import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

/** Hides the bar that would load the reference of another service. */
const withoutTopbar = '.swagger-ui .topbar { display: none; }';

const ownFilesOnly =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export interface ReferenceOptions {
  title: string;
  version: string;
  description: string;
  /** The name of the cookie that holds a session of the console. */
  consoleCookie: string;
  /** The public address of the service. */
  publicUrl: string;
  groups: { name: string; description: string }[];
}

/**
 * Serves the OpenAPI document of all routes that are added afterwards at /openapi.json, and an interactive page at /docs.
 * The page loads nothing from other servers.
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
          console: {
            type: 'apiKey',
            in: 'cookie',
            name: options.consoleCookie,
            description:
              'The session of the console, which no script can read. Only for pages of the same origin; what is not GET needs ' +
              'the header `X-Florin-Console` as well.',
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

/** Marks bodies that may be null as optional: the library marks every body as required. */
function withOptionalBodies<Given extends object>(document: Given): Given {
  for (const path of Object.values((document as Document).paths ?? {})) {
    const body = path?.post?.requestBody as RequestBody | undefined;
    if (body === undefined) continue;
    body.required = !body.content['application/json']?.schema.anyOf?.some(({ type }) => type === 'null');
  }
  return document;
}
