import { Refusal } from '../../../core/errors.ts';
import { abilitiesOf } from '../providers/abilities.ts';
import type { ProviderName } from '../providers/directory.ts';

/** An amount in minor units of a currency. */
interface Money {
  amount: number;
  currency: string;
}

/** Why the provider of a channel cannot charge an amount (`channel_cannot`); undefined: nothing is known against it. */
export function chargeRefusal(provider: ProviderName | null, money: Money): Refusal | undefined {
  if (provider === null) return undefined;
  const { amount, currency } = money;
  const { currencies, minimumAmounts } = abilitiesOf(provider);
  if (!currencies.includes(currency)) {
    return cannot(provider, `currency:${currency}`, `${provider} takes no payments in ${currency}.`, 'currency');
  }
  const minimum = minimumAmounts[currency] ?? 1;
  if (amount >= minimum) return precisionRefusal(provider, money);
  const message = `${provider} takes no payments below ${minimum} (minor units of ${currency}).`;
  return cannot(provider, 'amount:minimum', message, 'amount', { minimum });
}

/** Why a provider cannot express an amount (`channel_cannot`): its API knows fewer decimals. */
export function precisionRefusal(provider: ProviderName | null, { amount, currency }: Money): Refusal | undefined {
  if (provider === null || abilitiesOf(provider).canExpress(amount, currency)) return undefined;
  const message = `${provider} does not support the smallest unit of ${currency} that this amount needs.`;
  return cannot(provider, 'amount:decimals', message, 'amount');
}

function cannot(provider: ProviderName, ability: string, message: string, field: string, details: object = {}) {
  return new Refusal('channel_cannot', message, { field, details: { provider, ability, ...details } });
}
