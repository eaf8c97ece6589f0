import type { TSchema } from 'typebox';
import { eventTypes, pingType, type SentType, scopeOfEventType } from '../../core/event-types.ts';
import { deliveryHeaders } from '../../domains/webhooks/deliveries/schema.ts';
import { inOnePiece, type Steps } from '../../platform/concurrency/in-pieces.ts';
import { type OpenApiDocument, openApiDocument } from '../../platform/http/openapi/document.ts';
import type { DocumentedEvent } from '../../platform/http/openapi/webhooks.ts';
import type { Route } from '../../platform/http/route.ts';
import { version } from '../cli/version.ts';
import { operationsRoutes } from '../http/operations.ts';
import { modules } from '../modules.ts';
import { allRoutes, groups } from '../routes.ts';
import examples from './examples.json' with { type: 'json' };
import { referenceTexts } from './reference-texts.ts';

const eventObjects: Readonly<Record<string, TSchema>> = Object.assign(
  {},
  ...modules.map(({ eventObjects = {} }) => eventObjects),
);

/** All event types, with the shape of the record that each is about. */
const events: readonly DocumentedEvent[] = ([...eventTypes, pingType] as const).map((type: SentType) => ({
  type,
  description:
    type === pingType
      ? 'Sent by `POST /api/webhook/test` alone.'
      : `Sent to endpoints whose \`events\` match. Reading it needs the scope \`${scopeOfEventType[type]}\`.`,
  object: eventObjects[type] ?? eventObjects[type.split('.')[0] as string],
}));

/** The OpenAPI document of these routes. */
export function openApiOf(routes: readonly Route[], publicUrl: string): Steps<OpenApiDocument> {
  const texts = referenceTexts();
  return openApiDocument(routes, {
    title: 'Florin',
    version,
    description: 'Records payments, routes them through channels, and notifies other systems by webhooks.',
    publicUrl,
    groups: groups.map(({ name, description }) => ({
      name,
      description: [description, texts.get(pageOf(name))?.text].filter(Boolean).join('\n\n'),
    })),
    notes: new Map([...texts.values()].flatMap(({ operations }) => [...operations])),
    events,
    deliveryHeaders,
    examples,
  });
}

/** The name of the page of a group: `developer-keys`. */
export const pageOf = (group: string) => group.toLowerCase().replaceAll(' ', '-');

/** The document that every node serves at /openapi.json, made without a running node. */
export function declaredOpenApi(publicUrl = 'http://127.0.0.1:8080'): OpenApiDocument {
  return inOnePiece(openApiOf([...operationsRoutes, ...allRoutes], publicUrl));
}
