import { setting } from '../../../platform/settings/declare.ts';
import { oneOf } from '../../../platform/settings/kinds.ts';

export const settings = {
  'app.invoice.refund-excess': setting(oneOf('true', 'false'), {
    default: 'true',
    description:
      'Whether money that a payment took beyond what was left to pay of its invoice or payment link is refunded ' +
      'at once, and whether a payment that is authorized for more is released. If not, and on channels without a ' +
      'provider, what was taken stands as their `amountToReturn` and is `UNAPPLIED` in the ledger, and what is ' +
      'authorized stays.',
  }),
};
