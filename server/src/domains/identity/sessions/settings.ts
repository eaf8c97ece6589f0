import { minuteMs } from '../../../core/clock.ts';
import { setting } from '../../../platform/settings/declare.ts';
import { durationOfAtLeast, oneOf } from '../../../platform/settings/kinds.ts';

export const settings = {
  'app.jwt.access-token-expire': setting(durationOfAtLeast(1000, '1s'), {
    default: '24h',
    description: 'Lifetime of an access token.',
  }),
  'app.jwt.refresh-token-expire': setting(durationOfAtLeast(1000, '1s'), {
    default: '7d',
    description: 'Maximum lifetime of a session and of its refresh token.',
  }),
  'app.security.step-up-lifetime': setting(durationOfAtLeast(1000, '1s'), {
    default: '10m',
    description: 'How long a session counts as stepped up after a code of the second factor.',
  }),
  'app.security.session-idle-timeout': setting(durationOfAtLeast(minuteMs, '1m'), {
    default: '7d',
    description:
      'A session ends when it is not used for this long, accurate to one minute. 30m suits consoles on shared desks.',
  }),
  'app.security.profile': setting(oneOf('standard', 'strict'), {
    default: 'standard',
    description:
      '`strict` is level 2 of ASVS 5.0 (docs/concepts/security.md, "The strict profile"): ' +
      'it changes the defaults of further settings, refuses weaker values, and departs from the API where ' +
      'ASVS asks for more.',
  }),
  'app.security.platform-second-factor': setting(oneOf('optional', 'required'), {
    default: 'optional',
    description: "`required`: sessions of the platform's own users without a second factor may only enrol one.",
  }),
};
