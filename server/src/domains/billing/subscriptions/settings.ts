import { setting } from '../../../platform/settings/declare.ts';
import { durations } from '../../../platform/settings/kinds.ts';

export const settings = {
  'app.subscription.retry-intervals': setting(durations, {
    default: '2d,5d,7d,7d',
    description:
      'The retry schedule of failed subscription payments: the wait after each failure. ' +
      'After the last retry fails, the subscription is cancelled.',
  }),
};
