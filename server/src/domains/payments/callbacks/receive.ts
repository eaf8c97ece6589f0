import type { Clock } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import type { DrawUuid } from '../../../core/id.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { ChannelCredentials } from '../channels/credentials.ts';
import type { ChannelDirectory } from '../channels/directory.ts';
import { type ChannelRow, findByCode } from '../channels/statements.ts';
import type { ProviderName, Providers } from '../providers/directory.ts';
import type { Callback } from '../providers/provider.ts';
import { type CallbackContent, contentOf, parseChannelParam } from './rules.ts';
import { storeCallback } from './statements.ts';

export type ReceiveResult = 'received' | 'repeated' | 'refused';

export interface CallbackIntakeOptions {
  database: Queryable;
  channels: ChannelDirectory;
  credentials: ChannelCredentials;
  providers: Providers;
  clock: Clock;
  drawUuid: DrawUuid;
  /** Seals a body to its row: it may contain personal data of payers. */
  seal: (plain: string, place: string) => Buffer;
  observe: (result: ReceiveResult) => void;
}

/** A callback as the HTTP server receives it. */
export type CallbackRequest = Omit<Callback, 'receivedMs'>;

interface ProviderChannel extends ChannelRow {
  provider: ProviderName;
}

/**
 * Receives callbacks: refuses those whose signature does not verify, and stores all others before they are answered. The
 * `CallbackWorker` settles them afterwards, so that providers do not wait and no crash loses a callback.
 */
export class CallbackIntake {
  readonly #options: CallbackIntakeOptions;

  constructor(options: CallbackIntakeOptions) {
    this.#options = options;
  }

  /** `channelParam` is the id or the code of a channel, from the path. */
  async receive(channelParam: string, request: CallbackRequest): Promise<void> {
    const channels = await this.#findChannels(channelParam);
    if (channels.length === 0) {
      throw new Refusal('record_not_found', `There is no channel ${channelParam} with a provider.`, {
        field: 'channel',
      });
    }
    const callback = { ...request, receivedMs: this.#options.clock() };
    const verified = await this.#verify(channels, callback);
    await this.#store(verified, callback);
  }

  /** A code is unique only within its tenant: all channels with the code are candidates, and the signature decides. */
  async #findChannels(channelParam: string): Promise<ProviderChannel[]> {
    const parsed = parseChannelParam(channelParam);
    if (parsed === undefined) return [];
    const { database, channels } = this.#options;
    const ids = 'id' in parsed ? [parsed] : await database.run(findByCode, [parsed.code]);
    const found = await Promise.all(ids.map(({ id }) => channels.find(id)));
    return found.filter((channel): channel is ProviderChannel => (channel?.provider ?? null) !== null);
  }

  /** Returns the first channel whose provider accepts the callback. A channel that fails otherwise does not end the search. */
  async #verify(channels: readonly ProviderChannel[], callback: Callback): Promise<VerifiedCallback> {
    const { providers, credentials, observe } = this.#options;
    let reason: unknown;
    for (const { id, provider } of channels) {
      try {
        const connector = await providers.of(provider);
        const message = connector.readCallback(callback, await credentials.forCallbacks(id));
        return { channelId: id, eventId: message.eventId, content: contentOf(message) };
      } catch (error) {
        // An outage is reported rather than a refusal: the provider then sends the callback again.
        if (reason === undefined || !isInvalidCallback(error)) reason = error;
      }
    }
    if (!isInvalidCallback(reason)) throw reason;
    observe('refused');
    // The reason of one channel must not reveal anything about another tenant's.
    if (channels.length === 1) throw reason;
    throw new Refusal('callback_invalid', 'No channel with this code accepts this as a callback of its provider.');
  }

  async #store({ channelId, eventId, content }: VerifiedCallback, { body, receivedMs }: Callback): Promise<void> {
    const { database, drawUuid, seal, observe } = this.#options;
    const id = drawUuid();
    const sealed = seal(body.toString('base64'), bodyPlace(channelId, id));
    const contentJson = content === null ? null : JSON.stringify(content);
    const [row] = await database.run(storeCallback, [channelId, eventId, id, receivedMs, contentJson, sealed]);
    observe(row === undefined ? 'repeated' : 'received');
  }
}

/** The place that a callback's body is sealed to; it is stored in base64. */
export const bodyPlace = (channelId: number, id: string) => `provider_callback/${channelId}/${id}/body`;

/** The content is null if the callback is about something that Florin does not follow. */
interface VerifiedCallback {
  channelId: number;
  eventId: string;
  content: CallbackContent | null;
}

function isInvalidCallback(error: unknown): boolean {
  return error instanceof Refusal && error.type === 'callback_invalid';
}
