import { defineModule } from '../../../platform/module.ts';
import type { Node } from '../../../platform/node.ts';
import { ChannelCredentials } from './credentials.ts';
import { ChannelDirectory } from './directory.ts';
import { channelRoutes } from './routes.ts';
import { savedChannel } from './schema.ts';

type Provided = ReturnType<typeof provide>;

/** Payment channels: accounts at providers, or offline ways to pay, through which payments are made. */
export const channels = defineModule({
  name: 'channels',
  tables: ['channel'],
  reference: [
    {
      name: 'Channels',
      description: 'The accounts at providers, or offline ways to pay, through which payments are made.',
    },
  ],
  resources: { channel: savedChannel },
  provide,
  routes: (context: Node & Provided) => channelRoutes({ ...context, directory: context.channels }),
});

function provide({ database, workerDatabase, notifications, open, isLost, sandboxEnabled }: Node) {
  return {
    channels: new ChannelDirectory(database, notifications, sandboxEnabled),
    credentials: new ChannelCredentials(workerDatabase, notifications, { open, isLost }),
  };
}
