import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { jsonType } from './broken-http.ts';
import type { OpenApiDocument } from './openapi/document.ts';

/** Hides the bar that would load the reference of another service. */
const withoutTopbar = '.swagger-ui .topbar { display: none; }';

const ownFilesOnly =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Serves the OpenAPI document at /openapi.json, and an interactive page at /docs that loads nothing from other servers. */
export async function addReference(app: FastifyInstance, document: OpenApiDocument): Promise<void> {
  await app.register(swagger, { mode: 'static', specification: { document: document as never } });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: ownFilesOnly,
    uiConfig: { docExpansion: 'list', persistAuthorization: false, tryItOutEnabled: true, validatorUrl: null },
    theme: { title: String(document.info.title), css: [{ filename: 'plain.css', content: withoutTopbar }] },
  });
  const json = JSON.stringify(document);
  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) =>
    reply.header('content-type', jsonType).send(json),
  );
}
