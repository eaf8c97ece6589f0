import { defineModule } from '../../../platform/module.ts';
import type { Node } from '../../../platform/node.ts';
import { inboxRoutes } from './routes.ts';
import { createdInbox } from './schema.ts';
import { sweepExpiredInboxes } from './sweep.ts';

/** Test receivers for webhooks, served by Florin itself. */
export const inboxes = defineModule({
  name: 'inboxes',
  tables: ['inbox', 'inbox_message'],
  reference: [{ name: 'Inboxes', description: 'Test receivers for webhooks.' }],
  resources: { inbox: createdInbox },
  routes: (node: Node) => inboxRoutes(node),
  retention: ({ database }: Node) => [{ name: 'inboxes', sweep: (nowMs) => sweepExpiredInboxes(database, nowMs) }],
});
