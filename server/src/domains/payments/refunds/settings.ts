import { setting } from '../../../platform/settings/declare.ts';
import { integer } from '../../../platform/settings/kinds.ts';

export const settings = {
  'app.security.step-up-refund-amount': setting(integer(1, Number.MAX_SAFE_INTEGER), {
    description:
      'Refunds of at least this amount, in minor units of whatever currency, need a session that is stepped up ' +
      'if the user has a second factor. Refunds by keys do not. Without it no refund does.',
  }),
};
