import type { ProviderName } from './directory.ts';
import type { MethodType } from './kept-method.ts';

/** Whether the money of a payment can be authorized first, and captured by one further request, or by several. */
export const captureAbilities = ['NONE', 'SINGLE', 'MULTIPLE'] as const;
export type CaptureAbility = (typeof captureAbilities)[number];

/** What a provider can do besides charging, refunding and cancelling: data, so that it is known before a call. */
export interface ProviderAbilities {
  capture: CaptureAbility;
  /** The types of payment methods of which the provider can authorize a payment. */
  authorizes: readonly MethodType[];
  /** TOLD: disputes are told of, and cannot be answered. ANSWERED: evidence can be submitted, and disputes accepted. */
  disputes: 'NONE' | 'TOLD' | 'ANSWERED';
}

/** Providers that are not named can do none of it. */
const abilities: Partial<Record<ProviderName, ProviderAbilities>> = {
  // Several captures are a setting of the account.
  stripe: { capture: 'MULTIPLE', authorizes: ['card', 'paypal'], disputes: 'ANSWERED' },
  mollie: { capture: 'MULTIPLE', authorizes: ['card'], disputes: 'TOLD' },
  sandbox: { capture: 'MULTIPLE', authorizes: ['card', 'paypal', 'other'], disputes: 'ANSWERED' },
};

const noAbilities: ProviderAbilities = { capture: 'NONE', authorizes: [], disputes: 'NONE' };

export function abilitiesOf(provider: ProviderName | null): ProviderAbilities {
  return (provider !== null && abilities[provider]) || noAbilities;
}
