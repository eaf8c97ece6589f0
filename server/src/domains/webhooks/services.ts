import type { IdentityApp } from '../identity/app.ts';
import type { WebhooksApp, WebhooksSettings } from './app.ts';
import { addressGuards } from './endpoints/address-guard.ts';
import { EndpointDirectory } from './endpoints/directory.ts';
import { disabledEndpointMail } from './endpoints/disabled-endpoint-mail.ts';
import { FanOut } from './events/fan-out.ts';
import { EventStreams } from './stream/event-streams.ts';

/** Makes the services of the webhooks modules, in order of dependency. Called once per node. */
export function webhooksServices(app: IdentityApp & { settings: WebhooksSettings }): WebhooksApp {
  const { settings, deploymentMode, workerDatabase, listDatabase } = app;
  const guards = addressGuards(deploymentMode === 'STANDALONE', settings['app.webhook.allow-targets'] ?? []);
  app.userMailComposers.register('WEBHOOK_DISABLED', (queued) =>
    disabledEndpointMail(queued, { ...app, database: workerDatabase }),
  );
  return {
    ...app,
    fanOut: new FanOut(),
    guards,
    endpoints: new EndpointDirectory({ ...app, database: workerDatabase, guards }),
    eventStreams: new EventStreams({ ...app, database: listDatabase }),
    maxEndpoints: settings['app.webhook.max-endpoints'],
    keepDeliveriesMs: settings['app.webhook.keep-deliveries'],
  };
}
