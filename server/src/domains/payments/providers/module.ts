import type { Module } from '../../../platform/module.ts';
import type { PaymentsApp } from '../app.ts';
import { sandboxCallbackSender } from './sandbox/callback-sender.ts';
import { settings } from './settings.ts';

/** Payment providers: the interface they implement, and its implementations. */
export const providers = {
  name: 'providers',
  tables: ['sandbox_operation'],
  settings,
  errors: {
    callback_invalid: 'unauthenticated',
    sandbox_disabled: 'forbidden',
  },
  workers: (app) => (app.sandboxEnabled ? [sandboxWorker(app)] : []),
} satisfies Module<PaymentsApp>;

function sandboxWorker({ settings, providers, queueDatabase, clock, log }: PaymentsApp) {
  return sandboxCallbackSender({
    database: queueDatabase,
    clock,
    delayMs: settings['app.sandbox.delay'],
    deliverCallback: (...callback) => providers.deliverCallback(...callback),
    onError: (error) => log.warn({ error }, 'Sending a sandbox callback failed; retrying until its attempts run out'),
    recordsWritten: async () => (await providers.loaded('sandbox'))?.drained(),
  });
}
