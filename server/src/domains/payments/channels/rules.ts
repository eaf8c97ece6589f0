import { isCurrency } from '../../../core/currency.ts';
import { invalid, Refusal } from '../../../core/errors.ts';
import { type Principal, platformTenant, seesAllTenants } from '../../../core/principal.ts';
import { sandboxDisabled } from '../providers/directory.ts';
import type { ChannelRow } from './statements.ts';

/** `USD, EUR` → [USD, EUR]; each a code of ISO 4217, none twice. */
export function currenciesOf(text: string): string[] {
  const codes = text.split(',').map((code) => code.trim());
  for (const code of codes) {
    if (!isCurrency(code)) {
      throw invalid('currency', `currency names ${JSON.stringify(code)}, which is not an upper-case ISO 4217 code.`);
    }
  }
  return [...new Set(codes)];
}

/** Platform channels can be used, not changed, by every tenant (decisions, Who may do what). */
export function mayUse(channel: ChannelRow, tenantId: number): boolean {
  return channel.tenant_id === tenantId || channel.tenant_id === platformTenant;
}

export function mayChange(channel: ChannelRow, principal: Principal): boolean {
  return seesAllTenants(principal) || channel.tenant_id === principal.tenantId;
}

/** Whether a provider only plays: it moves no money. */
export function isSandbox({ provider }: Pick<ChannelRow, 'provider'>): boolean {
  return provider === 'sandbox';
}

/**
 * Whether one stands for real money and the other for play: what is declined at the one must never be tried at the other. A
 * channel without a provider asks nobody and is of neither kind.
 */
export function areMixed(one: Pick<ChannelRow, 'provider'>, other: Pick<ChannelRow, 'provider'>): boolean {
  return one.provider !== null && other.provider !== null && isSandbox(one) !== isSandbox(other);
}

/** Refuses a payment that this channel does not take. */
export function requireAccepting(channel: ChannelRow, currency: string): void {
  if (!isCurrency(currency)) {
    throw invalid('currency', 'currency must be an upper-case ISO 4217 code, such as USD.');
  }
  if (channel.is_disabled) throw sandboxDisabled('channelId');
  if (!channel.state) {
    throw new Refusal('channel_inactive', 'This channel does not accept payments: it is switched off.', {
      field: 'channelId',
    });
  }
  if (!channel.currencies.includes(currency)) {
    throw new Refusal(
      'currency_not_supported',
      `This channel takes ${channel.currencies.join(', ')}, not ${currency}.`,
      { field: 'currency', details: { currencies: channel.currencies } },
    );
  }
}
