import { hourMs } from '../../../core/clock.ts';
import { setting } from '../../../platform/settings/declare.ts';
import { durationBetween, url } from '../../../platform/settings/kinds.ts';

export const settings = {
  'app.sandbox.delay': setting(durationBetween({ ms: 100, text: '0.1s' }, { ms: hourMs, text: '1h' }), {
    default: '3s',
    description:
      'How long the sandbox takes for whatever it does late: successes, declines and refunds that come later, ' +
      'disputes, returned debits, ends of authorizations. A short one makes the tests of a shop quick.',
  }),
  'app.provider.stripe.url': setting(url('http:', 'https:'), {
    description: 'Where to send calls to Stripe instead of its own address: a simulator or an outbound proxy.',
  }),
  'app.provider.mollie.url': setting(url('http:', 'https:'), {
    description: 'Where to send calls to Mollie instead of its own address: a simulator or an outbound proxy.',
  }),
};
