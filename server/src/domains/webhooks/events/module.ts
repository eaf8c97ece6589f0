import { defineModule } from '../../../platform/module.ts';
import type { Node } from '../../../platform/node.ts';
import { eventChecks } from './integrity.ts';
import { eventRoutes } from './routes.ts';
import { eventDetail } from './schema.ts';

/** What happened, written with the change itself, and the deliveries that tell it. */
export const events = defineModule({
  name: 'events',
  tables: ['event'],
  reference: [{ name: 'Events', description: 'What happened.' }],
  resources: { event: eventDetail },
  integrity: eventChecks,
  routes: ({ listDatabase }: Node) => eventRoutes({ lists: listDatabase }),
});
