import { defineModule } from '../../../platform/module.ts';
import type { NodeWith } from '../../../platform/node.ts';
import { type SettingsOf, setting } from '../../../platform/settings/declare.ts';
import { url } from '../../../platform/settings/kinds.ts';
import { Providers } from './directory.ts';
import { sandboxCallbackSender } from './sandbox/callback-sender.ts';

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

/** Payment providers: the interface they implement, and its implementations. */
export const providers = defineModule({
  name: 'providers',
  tables: ['sandbox_operation'],
  settings,
  provide,
  workers: ({ sandboxEnabled, ...context }: Needs & Provided) => (sandboxEnabled ? [sandboxWorker(context)] : []),
});

function provide({ settings, queueDatabase, clock, publicUrl, sandboxEnabled }: Needs) {
  const providers = new Providers({
    database: queueDatabase,
    clock,
    sandboxEnabled,
    publicUrl,
    urls: { stripe: settings['app.provider.stripe.url'], mollie: settings['app.provider.mollie.url'] },
  });
  return { providers };
}

function sandboxWorker({ providers, queueDatabase, clock, log }: Omit<Needs & Provided, 'sandboxEnabled'>) {
  return sandboxCallbackSender({
    database: queueDatabase,
    clock,
    deliverCallback: (...callback) => providers.deliverCallback(...callback),
    onError: (error) => log.warn({ error }, 'Sending a sandbox callback failed; retrying until its attempts run out'),
    recordsWritten: async () => (await providers.loaded('sandbox'))?.drained(),
  });
}
