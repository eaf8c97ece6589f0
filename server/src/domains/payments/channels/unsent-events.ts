import type { Providers } from '../providers/directory.ts';
import type { Credentials, Provider } from '../providers/provider.ts';
import { callbackUrlOf } from './credentials.ts';
import type { ChannelRow } from './statements.ts';

interface Asking {
  providers: Pick<Providers, 'of'>;
  /** `app.public-url`. */
  publicUrl: string;
  /** `app.provider.timeout`. */
  timeoutMs: number;
}

/**
 * The events that Florin reads and the channel's provider does not send to its callback address. Undefined if that is
 * not known: the provider sends everything by itself, does not answer, or its API key may not tell, or the channel has
 * no `webhookSecret` and reads no callbacks.
 */
export async function unsentEventsOf(
  { id: channelId, provider, callback_token }: Pick<ChannelRow, 'id' | 'provider' | 'callback_token'>,
  credentials: Credentials,
  { providers, publicUrl, timeoutMs }: Asking,
): Promise<readonly string[] | undefined> {
  if (provider === null || credentials.webhookSecret === null) return undefined;
  const connector: Provider = await providers.of(provider);
  const call = { credentials, channelId, timeoutMs, signal: AbortSignal.timeout(timeoutMs) };
  const asked = connector.unsentEvents?.(callbackUrlOf(publicUrl, channelId, callback_token), call);
  return asked?.catch(() => undefined);
}
