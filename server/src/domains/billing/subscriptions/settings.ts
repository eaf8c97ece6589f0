import { setting } from '../../../platform/settings/declare.ts';
import { durations, integer } from '../../../platform/settings/kinds.ts';

export const settings = {
  'app.subscription.debit-notice-days': setting(integer(0, 30), {
    default: '1',
    description:
      'How many days before a direct debit is sent the customer is mailed its amount, its day and the mandate. ' +
      '0: debits are not announced. Debits through providers that announce them, such as Stripe, are sent at once.',
  }),
  'app.subscription.retry-intervals': setting(durations, {
    default: '2d,5d,7d,7d',
    description:
      'The retry schedule of failed subscription payments: the wait after each failure. ' +
      'After the last retry fails, the subscription is cancelled.',
  }),
};
