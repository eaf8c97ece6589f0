import { Type } from 'typebox';
import { get, post, type Route } from '../../../platform/http/route.ts';
import { createInbox, type InboxDeps } from './create.ts';
import { listInboxesOf, listMessagesOf } from './read.ts';
import { receiveMessage } from './receive.ts';
import {
  createdInbox,
  createInput,
  listedInbox,
  maximumMessageBytes,
  message,
  messagesQuery,
  received,
  receiveParams,
} from './schema.ts';

export function inboxRoutes(deps: InboxDeps): Route[] {
  return [
    post('/api/inbox/create', 'caller', 'Inboxes', {
      summary: 'Make an inbox',
      description:
        'An address of our own to try webhooks with: it keeps what is posted to it, the last 100 messages, for seven days. ' +
        'Needs the read scope of every event type. A tenant has 20 at most: then the oldest gives way. The body may be ' +
        'left out.',
      body: createInput,
      data: createdInbox,
      handle: async ({ body, principal }) => ({
        message: 'Inbox made. Keep its address now: it is not shown again',
        data: await createInbox(body, principal, deps),
      }),
    }),

    get('/api/inbox/list', 'caller', 'Inboxes', {
      summary: 'List inboxes',
      description: 'Newest first. Needs the read scope of every event type.',
      data: Type.Array(listedInbox),
      handle: async ({ principal }) => ({ data: await listInboxesOf(principal, deps) }),
    }),

    get('/api/inbox/messages', 'caller', 'Inboxes', {
      summary: 'Read what has come to an inbox',
      description: 'Newest first. Needs the read scope of every event type.',
      query: messagesQuery,
      data: Type.Array(message),
      paged: 'by_cursor',
      handle: ({ query, principal }) => listMessagesOf(query, principal, deps),
    }),

    post('/inbox/{token}', 'nothing', 'Inboxes', {
      summary: 'Post to an inbox',
      description: 'Anything, up to 64 KiB. At most 100 messages a second.',
      rawBody: { maximumBytes: maximumMessageBytes },
      params: receiveParams,
      data: received,
      handle: async ({ params, headers, rawBody }) => ({
        message: 'Received',
        data: await receiveMessage(params.token ?? '', headers, rawBody, deps),
      }),
    }),
  ];
}
