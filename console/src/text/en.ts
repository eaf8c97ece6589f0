import { audit } from './en/audit.ts';
import { billing } from './en/billing.ts';
import { checkout } from './en/checkout.ts';
import { developers } from './en/developers.ts';
import { methods } from './en/methods.ts';
import { payments } from './en/payments.ts';
import { refusals } from './en/refusals.ts';
import { settings } from './en/settings.ts';
import { shell } from './en/shell.ts';
import { signIn } from './en/sign-in.ts';
import { system } from './en/system.ts';
import { timeline } from './en/timeline.ts';

/** English, whose keys every language must have. `.one` and `.other` are plural forms. */
export const en = {
  ...signIn,
  ...shell,
  ...payments,
  ...billing,
  ...methods,
  ...checkout,
  ...developers,
  ...settings,
  ...system,
  ...refusals,
  ...timeline,
  ...audit,
};
