import { hourMs } from '../../../core/clock.ts';
import { setting } from '../../../platform/settings/declare.ts';
import { durationOfAtLeast, oneOf } from '../../../platform/settings/kinds.ts';
import { recordedRequests } from './recorder.ts';

export const settings = {
  'app.request-log.record': setting(oneOf(...recordedRequests), {
    default: 'all',
    description:
      'Which requests of authenticated callers the request log holds: ' +
      '`all`, `writes` (POST, and everything refused), `refused` or `none`.',
  }),
  'app.request-log.keep': setting(durationOfAtLeast(hourMs, 'an hour'), {
    default: '3d',
    description: 'How long requests are kept in the request log.',
  }),
};
