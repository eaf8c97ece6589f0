import { Refusal } from '../../../core/errors.ts';
import { type BrokenRule, rule } from '../../../core/refusal-rules.ts';
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
    return cannot(`currency:${currency}`, rule('provider_without_currency', { provider, currency }), 'currency');
  }
  const minimum = minimumAmounts[currency] ?? 1;
  if (amount >= minimum) return precisionRefusal(provider, money);
  return cannot('amount:minimum', rule('provider_minimum', { provider, minimum, currency }), 'amount');
}

/** Why a provider cannot express an amount (`channel_cannot`): its API knows fewer decimals. */
export function precisionRefusal(provider: ProviderName | null, { amount, currency }: Money): Refusal | undefined {
  if (provider === null || abilitiesOf(provider).canExpress(amount, currency)) return undefined;
  return cannot('amount:decimals', rule('provider_decimals', { provider, currency }), 'amount');
}

function cannot(ability: string, broken: BrokenRule, field: string): Refusal {
  return new Refusal('channel_cannot', broken, { field, details: { ability } });
}
