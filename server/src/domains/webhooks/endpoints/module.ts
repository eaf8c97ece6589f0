import { defineModule } from '../../../platform/module.ts';
import type { Node, NodeWith } from '../../../platform/node.ts';
import { sealedColumn } from '../../../platform/postgres/sealed-column-statements.ts';
import { type SettingsOf, setting } from '../../../platform/settings/declare.ts';
import { integer, networks } from '../../../platform/settings/kinds.ts';
import { addressGuards } from './address-guard.ts';
import { EndpointDirectory, endpointSecretPlace } from './directory.ts';
import { DisabledEndpointMailer } from './disabled-endpoint-mailer.ts';
import { endpointRoutes } from './routes.ts';
import {
  endpointInput,
  endpointRecord,
  eventPattern,
  modifyInput,
  pingObject,
  pingResult,
  registeredEndpoint,
  registerInput,
  rotateInput,
} from './schema.ts';
import { promoteDueSecrets } from './statements.ts';

const settings = {
  'app.webhook.allow-targets': setting(networks, {
    description:
      'Private networks (CIDR) that deliveries to any endpoint may reach, and whose answers are kept. Beyond them, only an ' +
      "administrator's session may register private targets, in STANDALONE mode alone, and their answers are not kept.",
  }),
  'app.webhook.max-endpoints': setting(integer(1, 10_000), {
    default: '50',
    description:
      'Webhook endpoints of one tenant, disabled ones included. Each adds a delivery to every event it subscribes to.',
  }),
};

const sealedSecret = (column: string) =>
  sealedColumn<{ id: number; tenant_id: number }>({
    noun: 'webhook endpoints',
    table: 'webhook_endpoint',
    column,
    key: [['id', 'bigint']],
    further: ['tenant_id'],
    place: ({ tenant_id, id }) => endpointSecretPlace(tenant_id, id),
  });

type Settings = SettingsOf<typeof settings>;
type Provided = ReturnType<typeof provide>;

/** Webhook endpoints: their URLs, their secrets and the rotation of secrets, and the mail when one is disabled. */
export const webhookEndpoints = defineModule({
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
  reference: [{ name: 'Webhooks', description: 'Signed notifications to other systems.' }],
  resources: { 'webhook endpoint': endpointRecord },
  schemas: {
    WebhookPing: pingObject,
    WebhookRegisterInput: registerInput,
    WebhookModifyInput: modifyInput,
    WebhookIdInput: endpointInput,
    WebhookRotateInput: rotateInput,
    WebhookTestResult: pingResult,
    WebhookEndpoint: endpointRecord,
    RegisteredWebhookEndpoint: registeredEndpoint,
    WebhookEventPattern: eventPattern,
  },
  eventObjects: { 'webhook.ping': pingObject, 'webhook.disabled': endpointRecord },
  provide,
  routes: (context: NodeWith<Settings> & Provided) =>
    endpointRoutes({ ...context, maxEndpoints: context.settings['app.webhook.max-endpoints'] }),
  retention: ({ database }: Node) => [
    { name: 'replaced webhook secrets', sweep: (nowMs) => database.run(promoteDueSecrets, [nowMs]) },
  ],
});

function provide(node: NodeWith<Settings>) {
  const { settings, deploymentMode, workerDatabase, caches, open, isLost, lifecycle } = node;
  const guards = addressGuards(deploymentMode === 'STANDALONE', settings['app.webhook.allow-targets'] ?? []);
  const disabledNotice = new DisabledEndpointMailer(node);
  lifecycle.add('notices', () => disabledNotice.settled());
  return {
    guards,
    endpoints: new EndpointDirectory({ database: workerDatabase, caches, open, isLost, guards }),
    disabledNotice,
  };
}
