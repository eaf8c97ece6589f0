import { setting } from '../../../platform/settings/declare.ts';
import { integer } from '../../../platform/settings/kinds.ts';

export const settings = {
  'app.developer-key.max-per-user': setting(integer(1, 100_000), {
    default: '1000',
    description:
      'How many developer keys a user may have, including revoked ones, which the list of a user also shows. ' +
      'Further ones are refused; existing ones stay.',
  }),
};
