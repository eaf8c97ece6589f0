import { minuteMs } from '../../../core/clock.ts';
import { setting } from '../../../platform/settings/declare.ts';
import { durationOfAtLeast, integer } from '../../../platform/settings/kinds.ts';

export const settings = {
  'app.provider.timeout': setting(durationOfAtLeast(1, 'a millisecond'), {
    default: '20s',
    description: 'Total time limit of a call to a payment provider; after it the outcome is unknown.',
  }),
  'app.provider.rate-limit-wait': setting(durationOfAtLeast(0, 'zero'), {
    default: '1h',
    description:
      'How long a charge that a rate limit of the provider refuses (429) is sent again, ' +
      'if no fallback channel takes it; then the payment is FAILED with `provider_unavailable`.',
  }),
  'app.payment.payer-timeout': setting(durationOfAtLeast(30 * minuteMs, '30 minutes'), {
    default: '24h',
    description:
      'How long a payment, or a payment method that is set up, waits for its payer before Florin cancels it at the ' +
      'provider; when the provider confirms that, it is FAILED with `payment_expired`. A provider that cannot cancel ' +
      'it ends it by itself.',
  }),
  'app.provider.calls-per-second': setting(integer(1, 10_000), {
    description:
      'Charges, refunds, cancellations and look-ups a second through each channel, from all nodes together. ' +
      'Without it only what a provider refuses (429) slows a channel down.',
  }),
};
