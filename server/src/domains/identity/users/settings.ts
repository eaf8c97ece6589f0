import { setting } from '../../../platform/settings/declare.ts';
import { integer } from '../../../platform/settings/kinds.ts';

export const settings = {
  'app.password.min-length': setting(integer(6, 128), {
    default: '6',
    description: 'Minimum length of a new password, in characters.',
  }),
};
