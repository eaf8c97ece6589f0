import { defineModule } from '../../../platform/module.ts';
import type { Node } from '../../../platform/node.ts';
import { EventStreams } from './event-streams.ts';
import { type StreamDeps, streamRoutes } from './routes.ts';

/** Events as they happen, for browsers and programs that stay connected. */
export const stream = defineModule({
  name: 'stream',
  tables: [],
  provide: (node: Node) => ({ eventStreams: new EventStreams({ ...node, database: node.listDatabase }) }),
  routes: (context: StreamDeps) => streamRoutes(context),
});
