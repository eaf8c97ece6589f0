import { Type } from 'typebox';
import { invalid } from '../../../core/errors.ts';
import { readableTypes } from '../../../core/event-types.ts';
import { uuidOfPublicId, uuidTimeMs } from '../../../core/id.ts';
import type { Principal } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import type { WebhooksApp } from '../app.ts';
import type { MayRead, StreamRequest } from './event-streams.ts';
import { lastEventHeader, streamQuery } from './schema.ts';

export const streamType = 'text/event-stream';

const { get } = routesFor<WebhooksApp>();

export const streamRoutes: readonly Route<WebhooksApp>[] = [
  get('/api/stream', 'caller', 'Events', {
    operationId: 'streamEvents',
    summary: 'Stream events as they happen',
    description:
      "Server-sent events (`text/event-stream`) of the caller's tenant: " +
      'each `data` is an event as the list of events shows it, without its payload, ' +
      'and each `id` the id of the event. Only types whose read scope the caller holds. ' +
      'Send the last id as `Last-Event-ID` to resume, as browsers do by themselves; ' +
      'an event may then come twice. `gap` instead of a message: ' +
      'more has happened than a stream shows, so read the list of events. At most 10 streams of a user on a node.',
    query: streamQuery,
    headers: lastEventHeader,
    data: Type.Null(),
    documentTypes: [streamType],
    isEndless: true,
    handle: async ({ query, headers, principal, address }, app) => {
      const request: StreamRequest = {
        userId: principal.userId,
        tenantId: principal.tenantId,
        sinceMs: timeOf(headers['last-event-id']),
        mayRead: async () => mayRead(await app.authenticate({ method: 'GET', headers }, address, { isCheck: true })),
      };
      const { follow } = query;
      const content = follow === false ? await app.eventStreams.read(request) : await app.eventStreams.open(request);
      return { document: { type: streamType, content } };
    },
  }),
];

/** No types if the tenant requires a second factor that the user does not have. */
const mayRead = ({ scopes, livemode, mayOnlyEnrol }: Principal): MayRead => ({
  types: new Set(mayOnlyEnrol === true ? [] : readableTypes(scopes)),
  livemode,
});

function timeOf(lastEventId: string | string[] | undefined): number | undefined {
  if (lastEventId === undefined || lastEventId === '') return undefined;
  const id = typeof lastEventId === 'string' ? uuidOfPublicId('evt', lastEventId) : undefined;
  if (id === undefined) throw invalid('Last-Event-ID', rule('event_id'));
  return uuidTimeMs(id);
}
