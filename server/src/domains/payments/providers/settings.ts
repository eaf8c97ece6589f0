import { setting } from '../../../platform/settings/declare.ts';
import { url } from '../../../platform/settings/kinds.ts';

export const settings = {
  'app.provider.stripe.url': setting(url('http:', 'https:'), {
    description: 'Where to send calls to Stripe instead of its own address: a simulator or an outbound proxy.',
  }),
  'app.provider.mollie.url': setting(url('http:', 'https:'), {
    description: 'Where to send calls to Mollie instead of its own address: a simulator or an outbound proxy.',
  }),
};
