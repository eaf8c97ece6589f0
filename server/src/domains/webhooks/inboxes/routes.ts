import { Type } from 'typebox';
import type { Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import type { WebhooksApp } from '../app.ts';
import { createInbox } from './create.ts';
import { listInboxesOf, listMessagesOf } from './read.ts';
import { receiveMessage } from './receive.ts';
import {
  createdInbox,
  createInput,
  inboxListQuery,
  listedInbox,
  maximumMessageBytes,
  message,
  messagesQuery,
  received,
  receiveParams,
} from './schema.ts';

const { get, post } = routesFor<WebhooksApp>();

export const inboxRoutes: readonly Route<WebhooksApp>[] = [
  post('/api/inbox/create', 'webhook_write', 'Inboxes', {
    summary: 'Create an inbox',
    description:
      'An inbox is a URL of Florin to try webhooks with. It stores the last 100 messages posted to it and ' +
      'expires after seven days. Also needs the read scope of every event type. A tenant has at most 20 inboxes: ' +
      'one more replaces the oldest. The body is optional.',
    body: createInput,
    data: createdInbox,
    message: 'Inbox made. Keep its address now: it is not shown again',
    handle: async (call, app) => ({ data: await createInbox(call, app) }),
  }),

  get('/api/inbox/list', 'webhook_read', 'Inboxes', {
    summary: 'List inboxes',
    description: 'Newest first. Also needs the read scope of every event type.',
    query: inboxListQuery,
    data: Type.Array(listedInbox),
    handle: async (call, app) => ({ data: await listInboxesOf(call, app) }),
  }),

  get('/api/inbox/messages', 'webhook_read', 'Inboxes', {
    operationId: 'listInboxMessages',
    summary: 'List the messages in an inbox',
    description: 'Newest first. Also needs the read scope of every event type.',
    query: messagesQuery,
    data: Type.Array(message),
    paged: 'by_cursor',
    handle: listMessagesOf,
  }),

  post('/inbox/{token}', 'nothing', 'Inboxes', {
    operationId: 'receiveInboxMessage',
    summary: 'Post to an inbox',
    description: 'Takes any body up to 64 KiB, at most 100 messages per second.',
    rawBody: { maximumBytes: maximumMessageBytes },
    params: receiveParams,
    takesAnyQuery: true, // Senders may append parameters of their own to the URL.
    data: received,
    message: 'Received',
    handle: async ({ params, headers, rawBody }, app) => ({
      data: await receiveMessage(params.token ?? '', headers, rawBody, app),
    }),
  }),
];
