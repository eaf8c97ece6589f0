import { defineModule } from '../../../platform/module.ts';
import type { Node, NodeWith } from '../../../platform/node.ts';
import { type SettingsOf, setting } from '../../../platform/settings/declare.ts';
import { networks } from '../../../platform/settings/kinds.ts';
import { AddressGuard } from './address-guard.ts';
import { EndpointDirectory } from './directory.ts';
import { DisabledEndpointMailer } from './disabled-endpoint-mailer.ts';
import { endpointRoutes } from './routes.ts';
import { endpointRecord } from './schema.ts';
import { promoteDueSecrets } from './statements.ts';

const settings = {
  'app.webhook.allow-targets': setting(networks, {
    description: 'Private networks that webhook deliveries may reach outside STANDALONE mode.',
  }),
};

type Provided = ReturnType<typeof provide>;

/** Webhook endpoints: their URLs, their secrets and the rotation of secrets, and the mail when one is disabled. */
export const webhookEndpoints = defineModule({
  name: 'endpoints',
  tables: ['webhook_endpoint'],
  settings,
  reference: [{ name: 'Webhooks', description: 'Signed notifications to other systems.' }],
  resources: { 'webhook endpoint': endpointRecord },
  provide,
  routes: (context: Node & Provided) => endpointRoutes({ ...context, directory: context.endpoints }),
  retention: ({ database }: Node) => [
    { name: 'replaced webhook secrets', sweep: (nowMs) => database.run(promoteDueSecrets, [nowMs]) },
  ],
});

function provide(node: NodeWith<SettingsOf<typeof settings>>) {
  const { settings, deploymentMode, workerDatabase, notifications, open, isLost, lifecycle } = node;
  const guard = new AddressGuard({
    standalone: deploymentMode === 'STANDALONE',
    allowTargets: settings['app.webhook.allow-targets'] ?? [],
  });
  const disabledNotice = new DisabledEndpointMailer(node);
  lifecycle.add('notices', () => disabledNotice.settled());
  return {
    guard,
    endpoints: new EndpointDirectory({ database: workerDatabase, notifications, open, isLost, guard }),
    disabledNotice,
  };
}
