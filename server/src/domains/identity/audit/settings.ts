import { dayMs } from '../../../core/clock.ts';
import { setting } from '../../../platform/settings/declare.ts';
import { durationOfAtLeast } from '../../../platform/settings/kinds.ts';

export const settings = {
  'app.audit.keep': setting(durationOfAtLeast(dayMs, 'a day'), {
    default: '400d',
    description: 'How long entries of the audit log are kept. The default covers a yearly audit.',
  }),
};
