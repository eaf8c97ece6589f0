import { defineModule } from '../../../platform/module.ts';
import type { Node } from '../../../platform/node.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { ChannelCredentials } from './credentials.ts';
import { ChannelDirectory } from './directory.ts';
import { channelRoutes } from './routes.ts';
import { savedChannel } from './schema.ts';

type Provided = ReturnType<typeof provide>;

/** Payment channels: the routes that a payment can take. */
export const channels = defineModule({
  name: 'channels',
  tables: ['channel'],
  reference: [{ name: 'Channels', description: 'The routes that a payment can take.' }],
  resources: { channel: savedChannel },
  provide,
  routes: (context: Node & Provided) => channelRoutes({ ...context, directory: context.channels }),
});

function provide({
  database,
  processingDatabase,
  notifications,
  open,
  sandboxEnabled,
}: Node & { processingDatabase: Database }) {
  return {
    channels: new ChannelDirectory(database, notifications, sandboxEnabled),
    credentials: new ChannelCredentials(processingDatabase, notifications, open),
  };
}
