import type { WebhooksApp } from '../webhooks/app.ts';
import type { PaymentsApp, PaymentsSettings } from './app.ts';
import { CallbackIntake } from './callbacks/receive.ts';
import { ChannelCredentials } from './channels/credentials.ts';
import { ChannelDirectory } from './channels/directory.ts';
import { operatorWarningsOf } from './channels/operator-warnings.ts';
import { disputeServices } from './disputes/services.ts';
import { methodServices } from './methods/services.ts';
import { discrepancyCounter, operationServices } from './operations/services.ts';
import { Providers } from './providers/directory.ts';
import { RawBodies } from './raw-bodies/raw-bodies.ts';
import { transactionServices } from './transactions/services.ts';

/** Makes the services of the payments modules, in order of dependency. Called once per node. */
export function paymentsServices(app: WebhooksApp & { settings: PaymentsSettings }): PaymentsApp {
  const { settings, database, queueDatabase, workerDatabase, caches, sandboxEnabled } = app;
  const providers = new Providers({
    ...app,
    database: queueDatabase,
    sandboxDelayMs: settings['app.sandbox.delay'],
    urls: { stripe: settings['app.provider.stripe.url'], mollie: settings['app.provider.mollie.url'] },
  });
  const channels = new ChannelDirectory(database, caches, app, sandboxEnabled);
  const credentials = new ChannelCredentials(workerDatabase, caches, app);
  const operatorWarnings = operatorWarningsOf({ ...app, channels });
  const discrepancies = discrepancyCounter(app);
  const atProviders = { ...app, providers, channels, credentials, operatorWarnings, discrepancies };
  const methods = methodServices(atProviders);
  const transactions = transactionServices({ ...app, ...methods, channels });
  const operations = operationServices({ ...atProviders, ...methods, ...transactions });
  const rawBodies = new RawBodies(app);
  const disputes = disputeServices({ ...atProviders, ...methods, ...transactions, ...operations, rawBodies });
  return {
    ...app,
    providers,
    channels,
    credentials,
    operatorWarnings,
    maxChannels: settings['app.channel.max-per-tenant'],
    ...methods,
    ...transactions,
    stepUpRefundAmount: settings['app.security.step-up-refund-amount'],
    ...operations,
    rawBodies,
    ...disputes,
    intake: callbackIntake({ ...app, channels, credentials, providers }),
  };
}

function callbackIntake(
  app: WebhooksApp & Pick<PaymentsApp, 'providers' | 'channels' | 'credentials'>,
): CallbackIntake {
  const received = app.metrics.counter(
    'florin_callbacks_total',
    'Callbacks from providers: received, repeated, or refused because they do not verify.',
    ['result'],
  );
  const intake = new CallbackIntake({
    ...app,
    failures: app.makeFailureLimiter('callbacks that do not verify'),
    observe: (result) => received.labels(result).inc(),
  });
  app.providers.deliverCallback = (channelId, headers, body) =>
    intake.receiveFromSandbox(channelId, { headers, query: {}, body });
  return intake;
}
