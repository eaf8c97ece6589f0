import type { Caches } from '../../../platform/postgres/caches.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { ReadThroughCache } from '../../../platform/postgres/read-through-cache.ts';
import type { Credentials } from '../providers/provider.ts';
import { type SecretName, type SecretOpener, secretAssociatedData } from './secrets.ts';
import { cachedChannels, findCredentials, type SealedCredentials } from './statements.ts';

/** What calling a channel's provider needs. */
export interface ChannelSecrets extends Credentials {
  /** The unguessable part of the channel's callback address. */
  callbackToken: string;
}

/** The address to which a provider sends the callbacks of a channel. */
export function callbackUrlOf(publicUrl: string, channelId: number, token: string): string {
  return `${publicUrl}/api/callback/${channelId}/${token}`;
}

/** The encryption key of a channel's credentials is lost: its provider cannot be called until they are set again. */
export class LostCredentialsError extends Error {
  constructor(channelId: number) {
    super(`The API key of channel ${channelId} was encrypted with a key that is declared lost. Set it again.`);
  }
}

/** The credentials of channels at their providers. Cached encrypted, and decrypted for each call. */
export class ChannelCredentials {
  readonly #cache: ReadThroughCache<number, SealedCredentials>;
  /** Opens other sealed values that calls need, such as tokens of payment methods. */
  readonly secrets: SecretOpener;

  constructor(database: Queryable, caches: Pick<Caches, 'readThrough'>, secrets: SecretOpener) {
    this.secrets = secrets;
    this.#cache = caches.readThrough(cachedChannels, {
      parseKey: Number,
      max: 10_000,
      load: async (id) => (await database.run(findCredentials, [id]))[0],
    });
  }

  /** For calls of the provider. Throws `LostCredentialsError`; a lost `webhookSecret` does not prevent calls. */
  async of(channelId: number): Promise<ChannelSecrets> {
    const sealed = await this.#find(channelId);
    const needed = [sealed?.api_key_sealed, sealed?.api_secret_sealed];
    if (needed.some((secret) => secret && this.secrets.isLost(secret))) throw new LostCredentialsError(channelId);
    return this.#opened(channelId, sealed);
  }

  /** For verifying callbacks, which needs only the `webhookSecret`. Lost secrets count as not set. */
  async forCallbacks(channelId: number): Promise<Credentials> {
    return this.#opened(channelId, await this.#find(channelId));
  }

  async #find(channelId: number): Promise<SealedCredentials | undefined> {
    return this.#cache.peek(channelId) ?? this.#cache.get(channelId);
  }

  #opened(channelId: number, sealed: SealedCredentials | undefined): ChannelSecrets {
    const { open, isLost } = this.secrets;
    const opened = (secret: Buffer | null | undefined, name: SecretName): string | null =>
      secret && sealed && !isLost(secret)
        ? open(secret, secretAssociatedData(sealed.tenant_id, channelId, name))
        : null;
    return {
      callbackToken: sealed?.callback_token ?? '',
      apiKey: opened(sealed?.api_key_sealed, 'apiKey'),
      apiSecret: opened(sealed?.api_secret_sealed, 'apiSecret'),
      webhookSecret: opened(sealed?.webhook_secret_sealed, 'webhookSecret'),
    };
  }
}
