import type { Module } from '../../../platform/module.ts';
import { sealedColumn } from '../../../platform/postgres/sealed-column-statements.ts';
import type { PaymentsApp } from '../app.ts';
import { channelRoutes } from './routes.ts';
import { channelInEvent, savedChannel } from './schema.ts';
import { type SecretName, secretAssociatedData } from './secrets.ts';
import { settings } from './settings.ts';

const sealedSecret = (column: string, name: SecretName) =>
  sealedColumn<{ id: number; tenant_id: number }>({
    noun: 'channels',
    table: 'channel',
    column,
    key: [['id', 'bigint']],
    further: ['tenant_id'],
    associatedData: ({ tenant_id, id }) => secretAssociatedData(tenant_id, id, name),
  });

/** Payment channels: accounts at providers, or offline ways to pay, through which payments are made. */
export const channels = {
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
  errors: {
    currency_not_supported: 'invalid',
    channel_inactive: 'conflict',
    channel_code_taken: 'conflict',
    channel_in_use: 'conflict',
    channel_cannot: 'conflict',
    channel_limit_reached: 'conflict',
  },
  reference: [
    {
      name: 'Channels',
      description: 'The accounts at providers, or offline ways to pay, through which payments are made.',
    },
  ],
  resources: { channel: savedChannel },
  eventObjects: { channel: channelInEvent },
  sealed: [
    sealedSecret('api_key_sealed', 'apiKey'),
    sealedSecret('api_secret_sealed', 'apiSecret'),
    sealedSecret('webhook_secret_sealed', 'webhookSecret'),
  ],
  routes: channelRoutes,
} satisfies Module<PaymentsApp>;
