import { Refusal } from '../../../core/errors.ts';
import { type BrokenRule, rule } from '../../../core/refusal-rules.ts';
import { abilitiesOf, type CaptureAbility, captureAbilities } from '../providers/abilities.ts';
import type { ProviderName } from '../providers/directory.ts';
import type { MethodType, NamedMethod } from '../providers/kept-method.ts';
import type { ChannelRow } from './statements.ts';

type CapturingChannel = Pick<ChannelRow, 'id' | 'provider' | 'capture'>;

/**
 * How payments through a channel can be captured: what its provider can, at most what the channel says. Several
 * captures are a setting of the account at the provider, so without a word of the channel there is one.
 */
export function captureAbilityOf({
  provider,
  capture,
}: Pick<CapturingChannel, 'provider' | 'capture'>): CaptureAbility {
  return lesser(abilitiesOf(provider).capture, capture ?? 'SINGLE');
}

const lesser = (a: CaptureAbility, b: CaptureAbility) =>
  captureAbilities.indexOf(a) < captureAbilities.indexOf(b) ? a : b;

/**
 * Why a payment cannot be authorized through a channel, with a kept method of this type, or with the method that its
 * token names; undefined: nothing is known against it.
 */
export function authorizationRefusal(
  channel: CapturingChannel,
  { type, paymentMethod, metadata }: NamedMethod & { type?: MethodType | undefined } = {},
): Refusal | undefined {
  const { id, provider } = channel;
  if (captureAbilityOf(channel) === 'NONE') {
    return cannotCapture(provider, 'capture', rule('captures_at_once', { channelId: id }), 'captureMethod');
  }
  const { authorizes, methodCapturedAtOnce } = abilitiesOf(provider);
  const named = methodCapturedAtOnce?.({ paymentMethod, metadata });
  const unable = type === undefined ? named : authorizes.includes(type) ? undefined : type;
  if (unable === undefined) return undefined;
  const broken = rule('method_captured_at_once', { provider: String(provider), methodType: unable });
  return cannotCapture(provider, `capture:${unable}`, broken, 'captureMethod');
}

/** Refuses several captures where the channel's provider takes one. */
export function requireMultipleCaptures(channel: CapturingChannel): void {
  if (captureAbilityOf(channel) === 'MULTIPLE') return;
  const { id, provider } = channel;
  throw cannotCapture(provider, 'capture:MULTIPLE', rule('captures_once', { channelId: id }), 'final');
}

/** Refuses a channel that is to capture in a way that its provider cannot. */
export function requireCaptureAbility(provider: ProviderName | null, wanted: CaptureAbility): void {
  if (lesser(abilitiesOf(provider).capture, wanted) === wanted) return;
  const broken = provider === null ? rule('offline_cannot_capture') : rule('provider_cannot_capture', { provider });
  throw cannotCapture(provider, `capture:${wanted}`, broken, 'capture');
}

function cannotCapture(provider: ProviderName | null, ability: string, message: BrokenRule, field: string): Refusal {
  return new Refusal('channel_cannot', message, { field, details: { provider, ability } });
}
