import { fallbackPollMs } from '../../../platform/jobs/due-work-poller.ts';
import { type BackgroundWorker, defineModule } from '../../../platform/module.ts';
import type { Node, NodeWith } from '../../../platform/node.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { type SettingsOf, setting } from '../../../platform/settings/declare.ts';
import { url } from '../../../platform/settings/kinds.ts';
import { Providers } from './directory.ts';
import { sandboxCallbackDue } from './sandbox/statements.ts';

const settings = {
  'app.provider.stripe.url': setting(url('http:', 'https:'), {
    description: 'Where to send calls to Stripe instead of its own address: a simulator or an outbound proxy.',
  }),
  'app.provider.mollie.url': setting(url('http:', 'https:'), {
    description: 'Where to send calls to Mollie instead of its own address: a simulator or an outbound proxy.',
  }),
};

type Needs = NodeWith<SettingsOf<typeof settings>>;
type Provided = ReturnType<typeof provide>;

/** Connections for claiming, starting, deferring and settling operations: each runs one statement at a time. */
const processingConnections = 4;

/** Payment providers: the interface they implement, and its implementations. */
export const providers = defineModule({
  name: 'providers',
  tables: ['sandbox_operation'],
  settings,
  provide,
  workers: ({ providers, sandboxEnabled, logError }: Needs & Provided) =>
    sandboxEnabled ? [sandboxWorker(providers, logError)] : [],
});

function provide({ settings, openPool, clock, publicUrl, sandboxEnabled, log }: Needs) {
  const processingDatabase: Database = openPool('processing', processingConnections, 'indexed');
  const providers = new Providers({
    database: processingDatabase,
    clock,
    sandboxEnabled,
    publicUrl,
    urls: { stripe: settings['app.provider.stripe.url'], mollie: settings['app.provider.mollie.url'] },
    pollMs: () => fallbackPollMs,
    onError: (error) => log.warn({ error }, 'Sending a sandbox callback failed; retrying until its attempts run out'),
  });
  return { providers, processingDatabase };
}

/** Sends the sandbox's callbacks. Loads the sandbox when the first one is due: a service with real providers has none. */
function sandboxWorker(providers: Providers, logError: Node['logError']): BackgroundWorker {
  return {
    name: 'sandbox',
    start: () => {},
    stop: async () => (await providers.loaded('sandbox'))?.stop(),
    wake: () => {
      providers
        .of('sandbox')
        .then((sandbox) => {
          sandbox.start();
          sandbox.wake();
        })
        .catch((error) => logError(error, 'The sandbox could not be started'));
    },
    dueWork: { topic: 'sandbox', due: sandboxCallbackDue },
  };
}
