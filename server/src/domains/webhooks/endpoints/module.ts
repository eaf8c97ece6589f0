import type { Module } from '../../../platform/module.ts';
import { sealedColumn } from '../../../platform/postgres/sealed-column-statements.ts';
import type { WebhooksApp } from '../app.ts';
import { endpointSecretAssociatedData } from './directory.ts';
import { endpointRoutes } from './routes.ts';
import { endpointRecord, pingObject } from './schema.ts';
import { settings } from './settings.ts';
import { promoteDueSecrets } from './statements.ts';

const sealedSecret = (column: string) =>
  sealedColumn<{ id: number; tenant_id: number }>({
    noun: 'webhook endpoints',
    table: 'webhook_endpoint',
    column,
    key: [['id', 'bigint']],
    further: ['tenant_id'],
    associatedData: ({ tenant_id, id }) => endpointSecretAssociatedData(tenant_id, id),
  });

/** Webhook endpoints: their URLs, their secrets and the rotation of secrets, and the mail when one is disabled. */
export const webhookEndpoints = {
  name: 'endpoints',
  tables: ['webhook_endpoint'],
  sealed: [sealedSecret('secret_sealed'), sealedSecret('next_secret_sealed')],
  settings,
  eventTypes: {
    'webhook.disabled': 'webhook_read',
  },
  auditActions: {
    'webhook.create': 'A webhook endpoint was registered.',
    'webhook.update': 'A webhook endpoint was changed, enabled or disabled.',
    'webhook.remove': 'A webhook endpoint was removed.',
    'webhook.rotate_secret': 'A secret of a webhook endpoint was staged or promoted.',
    'webhook.ping': 'A test delivery was requested.',
  },
  errors: {
    webhook_address_forbidden: 'invalid',
    webhook_inactive: 'conflict',
    webhook_limit_reached: 'conflict',
    no_secret_staged: 'conflict',
  },
  reference: [{ name: 'Webhooks', description: 'Signed notifications to other systems.' }],
  resources: { 'webhook endpoint': endpointRecord },
  eventObjects: { 'webhook.ping': pingObject, 'webhook.disabled': endpointRecord },
  routes: endpointRoutes,
  retention: ({ database }) => [
    { name: 'replaced webhook secrets', sweep: (nowMs) => database.run(promoteDueSecrets, [nowMs]) },
  ],
} satisfies Module<WebhooksApp>;
