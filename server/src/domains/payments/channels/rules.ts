import { isCurrency, requireInUse } from '../../../core/currency.ts';
import { invalid, Refusal, type RefusalType } from '../../../core/errors.ts';
import { seesMode } from '../../../core/livemode.ts';
import { inTenant, type Principal, platformTenant, seesAllTenants } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { sandboxDisabled } from '../providers/directory.ts';
import type { ChannelRow } from './statements.ts';

/**
 * `USD, EUR` → [USD, EUR], without repeats. Throws the refusal `invalid_request` unless each is the ISO 4217 code of a
 * currency to pay in, and in use or one that the channel has already.
 */
export function currenciesOf(text: string, existing: readonly string[] = []): string[] {
  const codes = text.split(',').map((code) => code.trim());
  for (const code of codes) {
    if (!isCurrency(code)) {
      throw invalid('currency', rule('currency_named', { given: JSON.stringify(code) }));
    }
    if (!existing.includes(code)) requireInUse(code);
  }
  return [...new Set(codes)];
}

/** Every tenant can use the platform's channels but not change them (docs/decisions/authority.md). */
export function mayUse(channel: ChannelRow, tenantId: number): boolean {
  return channel.tenant_id === tenantId || channel.tenant_id === platformTenant;
}

/** The caller. A platform administrator who names a tenant's channel acts for that tenant. */
export function actOn(channel: Pick<ChannelRow, 'tenant_id'> | undefined, principal: Principal): Principal {
  const acts = channel !== undefined && channel.tenant_id !== platformTenant && seesAllTenants(principal);
  return acts ? inTenant(principal, channel.tenant_id) : principal;
}

export function maySee(channel: ChannelRow, principal: Principal): boolean {
  return seesMode(principal, channel.livemode) && (seesAllTenants(principal) || mayUse(channel, principal.tenantId));
}

export function mayChange(channel: ChannelRow, principal: Principal): boolean {
  return (
    seesMode(principal, channel.livemode) && (seesAllTenants(principal) || channel.tenant_id === principal.tenantId)
  );
}

/**
 * The mode of a provider's API key: Stripe's begin with `sk_test_`, `rk_test_`, `sk_live_` or `rk_live_`, Mollie's with
 * `test_` or `live_`. Undefined: the key does not tell.
 */
export function livemodeOfApiKey(apiKey: string): boolean | undefined {
  const mode = /^(?:[sr]k_(?:org_)?)?(test|live)_/.exec(apiKey)?.[1];
  return mode === undefined ? undefined : mode === 'live';
}

/** Whether the channel's provider is the sandbox. */
export function isSandbox({ provider }: Pick<ChannelRow, 'provider'>): boolean {
  return provider === 'sandbox';
}

/** How a channel refuses payments (`acceptanceRefusal`): routes that take a channel for payments declare these. */
export const acceptanceRefusals = [
  'sandbox_disabled',
  'channel_inactive',
  'currency_not_supported',
] as const satisfies readonly RefusalType[];

/**
 * Throws a refusal if the channel does not accept payments in this currency (`acceptanceRefusal`). `field` names the
 * channel.
 */
export function requireAccepting(channel: ChannelRow, currency: string, field = 'channelId'): void {
  const refusal = acceptanceRefusal(channel, currency, field);
  if (refusal !== undefined) throw refusal;
}

/**
 * Why the channel does not accept payments in this currency: one of `acceptanceRefusals`. Undefined: it accepts them.
 */
export function acceptanceRefusal(channel: ChannelRow, currency: string, field = 'channelId'): Refusal | undefined {
  if (channel.is_disabled) return sandboxDisabled(field);
  if (channel.has_key_of_other_mode) {
    const [mode, other] = channel.livemode ? ['live', 'test'] : ['test', 'live'];
    return new Refusal(
      'channel_inactive',
      rule('channel_key_of_other_mode', { mode: mode as string, otherMode: other as string }),
      { field },
    );
  }
  if (!channel.state) {
    return new Refusal('channel_inactive', rule('channel_off'), {
      field,
    });
  }
  if (!channel.currencies.includes(currency)) {
    return new Refusal(
      'currency_not_supported',
      rule('channel_currencies', { currencies: channel.currencies, given: currency }),
      { field: 'currency' },
    );
  }
  return undefined;
}
