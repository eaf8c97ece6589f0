import type { Module } from '../../../platform/module.ts';
import { deleteInBatches } from '../../../platform/postgres/delete-in-batches.ts';
import { sealedColumn } from '../../../platform/postgres/sealed-column-statements.ts';
import type { WebhooksApp } from '../app.ts';
import { inboxSecretAssociatedData } from './create.ts';
import { inboxRoutes } from './routes.ts';
import { createdInbox } from './schema.ts';
import { deleteExpiredInboxes } from './statements.ts';

/** Test receivers for webhooks, served by Florin itself. */
export const inboxes = {
  name: 'inboxes',
  tables: ['inbox', 'inbox_message'],
  sealed: [
    sealedColumn<{ id: number }>({
      noun: 'inboxes',
      table: 'inbox',
      column: 'secret_sealed',
      key: [['id', 'bigint']],
      associatedData: ({ id }) => inboxSecretAssociatedData(id),
    }),
  ],
  auditActions: {
    'inbox.create': 'An inbox was created and its token shown once.',
  },
  reference: [{ name: 'Inboxes', description: 'Test receivers for webhooks.' }],
  resources: { inbox: createdInbox },
  routes: inboxRoutes,
  retention: ({ database }) => [
    // Their messages, up to 100 each, are deleted with them.
    { name: 'inboxes', sweep: (nowMs) => deleteInBatches(database, deleteExpiredInboxes, [nowMs], 100) },
  ],
} satisfies Module<WebhooksApp>;
