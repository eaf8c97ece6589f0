import type { Queryable } from '../../../platform/postgres/database.ts';
import type { Notifications } from '../../../platform/postgres/notifications.ts';
import { ReadThroughCache } from '../../../platform/postgres/read-through-cache.ts';
import type { Credentials } from '../providers/provider.ts';
import { channelsTopic } from './directory.ts';
import { findCredentials, type SealedCredentials } from './statements.ts';

export type SecretName = 'apiKey' | 'apiSecret' | 'webhookSecret';

/** The context that a channel's secret is sealed to: it cannot be decrypted in any other place. */
export function secretPlace(tenantId: number, id: number, name: SecretName): string {
  return `channel/${tenantId}/${id}/${name}`;
}

/** What is needed to call a channel's provider. */
export interface ChannelSecrets extends Credentials {
  /** The unguessable part of the channel's callback address. */
  callbackToken: string;
}

/** The address to which a provider sends the callbacks of a channel. */
export function callbackUrlOf(publicUrl: string, channelId: number, token: string): string {
  return `${publicUrl}/api/callback/${channelId}/${token}`;
}

/** The credentials of channels at their providers. Cached encrypted, and decrypted for each call. */
export class ChannelCredentials {
  readonly #cache: ReadThroughCache<number, SealedCredentials>;
  readonly #open: (sealed: Buffer, where: string) => string;

  constructor(
    database: Queryable,
    notifications: Pick<Notifications, 'on'>,
    open: (sealed: Buffer, where: string) => string,
  ) {
    this.#open = open;
    this.#cache = new ReadThroughCache({
      max: 10_000,
      load: async (id) => (await database.run(findCredentials, [id]))[0],
    });
    notifications.on(channelsTopic, {
      changed: (id) => this.#cache.drop(Number(id)),
      disconnected: (disconnected) => {
        this.#cache.disconnected = disconnected;
      },
    });
  }

  async of(channelId: number): Promise<ChannelSecrets> {
    const sealed = this.#cache.peek(channelId) ?? (await this.#cache.get(channelId));
    const opened = (secret: Buffer | null | undefined, name: SecretName): string | null =>
      secret && sealed ? this.#open(secret, secretPlace(sealed.tenant_id, channelId, name)) : null;
    return {
      callbackToken: sealed?.callback_token ?? '',
      apiKey: opened(sealed?.api_key_sealed, 'apiKey'),
      apiSecret: opened(sealed?.api_secret_sealed, 'apiSecret'),
      webhookSecret: opened(sealed?.webhook_secret_sealed, 'webhookSecret'),
    };
  }
}
