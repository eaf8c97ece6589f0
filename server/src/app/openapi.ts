import { systemClock } from '../core/clock.ts';
import { type OpenApiDocument, openApiDocument } from '../platform/http/openapi/document.ts';
import type { Route } from '../platform/http/route.ts';
import type { AnyModule } from '../platform/module.ts';
import { version } from './cli/version.ts';
import { operationsRoutes, operationsSchemas } from './http/operations.ts';
import { modules } from './modules.ts';
import { declaredRoutes, groups } from './routes.ts';

/** The OpenAPI document of these routes, with the names that the modules gave to their schemas. */
export function openApiOf(routes: readonly Route[], publicUrl: string): OpenApiDocument {
  return openApiDocument(routes, {
    title: 'Florin',
    version,
    description: 'Records payments, routes them through channels, and notifies other systems by webhooks.',
    publicUrl,
    groups,
    schemas: [operationsSchemas, ...(modules as readonly AnyModule[]).map(({ schemas = {} }) => schemas)],
  });
}

/** The document that every node serves at /openapi.json, made without a running node. */
export function declaredOpenApi(publicUrl = 'http://127.0.0.1:8080'): OpenApiDocument {
  const primary = { absence: undefined, hasBeenWritable: true };
  const operations = operationsRoutes({ primary, clock: systemClock, isStopping: () => false });
  return openApiOf([...operations, ...declaredRoutes()], publicUrl);
}
