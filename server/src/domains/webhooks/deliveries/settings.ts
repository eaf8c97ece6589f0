import { dayMs } from '../../../core/clock.ts';
import { setting } from '../../../platform/settings/declare.ts';
import { durationOfAtLeast, durations, integer } from '../../../platform/settings/kinds.ts';

export const settings = {
  'app.webhook.timeout': setting(durationOfAtLeast(1, 'a millisecond'), {
    default: '10s',
    description: 'Deadline of one delivery attempt, from name lookup to the end of the answer.',
  }),
  'app.webhook.retry-intervals': setting(durations, {
    default: '1m,5m,30m',
    description:
      'Waits before each retry, counted from the end of the failed attempt. ' +
      'After the last retry the delivery has failed.',
  }),
  'app.webhook.max-in-flight': setting(integer(1, 10_000), {
    default: '1024',
    description: 'Deliveries that one process may have in flight.',
  }),
  'app.webhook.keep-attempts': setting(durationOfAtLeast(dayMs, 'a day'), {
    default: '30d',
    description: 'How long delivery attempts are kept, with their answers.',
  }),
  'app.webhook.keep-deliveries': setting(durationOfAtLeast(dayMs, 'a day'), {
    description:
      'How long deliveries are kept after they have succeeded, failed or been cancelled. Default: ' +
      'as long as payments. Events are always kept.',
  }),
};
