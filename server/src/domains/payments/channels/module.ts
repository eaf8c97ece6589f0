import { defineModule } from '../../../platform/module.ts';
import type { NodeWith } from '../../../platform/node.ts';
import { sealedColumn } from '../../../platform/postgres/sealed-column-statements.ts';
import { type SettingsOf, setting } from '../../../platform/settings/declare.ts';
import { integer } from '../../../platform/settings/kinds.ts';
import { ChannelCredentials } from './credentials.ts';
import { ChannelDirectory } from './directory.ts';
import { channelRoutes } from './routes.ts';
import { channelInEvent, channelInput, listedChannel, savedChannel } from './schema.ts';
import { type SecretName, secretPlace } from './secrets.ts';

const settings = {
  'app.channel.max-per-tenant': setting(integer(1, 100_000), {
    default: '1000',
    description: 'How many channels a tenant may have. Further ones are refused; existing ones stay.',
  }),
};

type Node = NodeWith<SettingsOf<typeof settings>>;
type Provided = ReturnType<typeof provide>;

const sealedSecret = (column: string, name: SecretName) =>
  sealedColumn<{ id: number; tenant_id: number }>({
    noun: 'channels',
    table: 'channel',
    column,
    key: [['id', 'bigint']],
    further: ['tenant_id'],
    place: ({ tenant_id, id }) => secretPlace(tenant_id, id, name),
  });

/** Payment channels: accounts at providers, or offline ways to pay, through which payments are made. */
export const channels = defineModule({
  name: 'channels',
  tables: ['channel'],
  settings,
  eventTypes: {
    'channel.disabled': 'channel_read',
  },
  auditActions: {
    'channel.create': 'A channel was created.',
    'channel.update': 'A channel or its credentials were changed.',
  },
  reference: [
    {
      name: 'Channels',
      description: 'The accounts at providers, or offline ways to pay, through which payments are made.',
    },
  ],
  resources: { channel: savedChannel },
  schemas: {
    ChannelModifyInput: channelInput,
    Channel: savedChannel,
    ChannelListItem: listedChannel,
    ChannelInEvent: channelInEvent,
  },
  eventObjects: { channel: channelInEvent },
  sealed: [
    sealedSecret('api_key_sealed', 'apiKey'),
    sealedSecret('api_secret_sealed', 'apiSecret'),
    sealedSecret('webhook_secret_sealed', 'webhookSecret'),
  ],
  provide,
  routes: (context: Node & Provided) =>
    channelRoutes({ ...context, maxChannels: context.settings['app.channel.max-per-tenant'] }),
});

function provide({ database, workerDatabase, caches, open, isLost, sandboxEnabled }: Node) {
  return {
    channels: new ChannelDirectory(database, caches, { open, isLost }, sandboxEnabled),
    credentials: new ChannelCredentials(workerDatabase, caches, { open, isLost }),
  };
}
