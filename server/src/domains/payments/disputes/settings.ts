import { dayMs, minuteMs } from '../../../core/clock.ts';
import { setting } from '../../../platform/settings/declare.ts';
import { durationOfAtLeast, integer } from '../../../platform/settings/kinds.ts';

export const settings = {
  'app.dispute.file-max-bytes': setting(integer(1, 10_000_000), {
    default: '10000000',
    description: 'How many bytes a file of evidence may have, at most.',
  }),
  'app.dispute.list-interval': setting(durationOfAtLeast(minuteMs, 'a minute'), {
    default: '1h',
    description:
      "How often each channel's list of disputes, and of refunds made elsewhere, is read at its provider. Callbacks " +
      'usually tell earlier.',
  }),
  'app.dispute.read-for': setting(durationOfAtLeast(dayMs, 'a day'), {
    default: '180d',
    description: 'How long after its beginning a dispute is read at its provider once a day.',
  }),
};
