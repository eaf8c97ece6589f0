import { audit } from './de/audit.ts';
import { billing } from './de/billing.ts';
import { checkout } from './de/checkout.ts';
import { developers } from './de/developers.ts';
import { methods } from './de/methods.ts';
import { payments } from './de/payments.ts';
import { refusals } from './de/refusals.ts';
import { settings } from './de/settings.ts';
import { shell } from './de/shell.ts';
import { signIn } from './de/sign-in.ts';
import { system } from './de/system.ts';
import { timeline } from './de/timeline.ts';
import type { Texts } from './texts.ts';

export const de: Texts = {
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
