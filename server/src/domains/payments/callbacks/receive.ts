import type { Clock } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import type { DrawUuid } from '../../../core/id.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { ChannelCredentials } from '../channels/credentials.ts';
import type { ChannelDirectory } from '../channels/directory.ts';
import { type ChannelRow, findByCode } from '../channels/statements.ts';
import type { ProviderName, Providers } from '../providers/directory.ts';
import type { Callback, CallbackNews } from '../providers/provider.ts';
import { type CallbackContent, channelNamed, keptNotice, type NamedChannel } from './rules.ts';
import { keepCallback } from './statements.ts';

export type Reception = 'received' | 'repeated' | 'refused';

export interface CallbackIntakeOptions {
  database: Queryable;
  channels: ChannelDirectory;
  credentials: ChannelCredentials;
  providers: Providers;
  clock: Clock;
  drawUuid: DrawUuid;
  /** Seals what was sent to the row it is kept in: it may hold payers' data. */
  seal: (plain: string, where: string) => Buffer;
  observe: (reception: Reception) => void;
}

/** A callback as it came in. */
export type Message = Omit<Callback, 'receivedMs'>;

interface ProvidedChannel extends ChannelRow {
  provider: ProviderName;
}

/**
 * Takes what providers tell: whose signature does not verify is refused, everything else is on disk before it is answered.
 * What follows from it is settled afterwards (`callback-worker.ts`), so that no provider waits for it, and no crash loses it.
 */
export class CallbackIntake {
  readonly #options: CallbackIntakeOptions;

  constructor(options: CallbackIntakeOptions) {
    this.#options = options;
  }

  /** `named` is an id or a code of a channel, as it stands in the address. */
  async receive(named: string, message: Message): Promise<void> {
    const channels = await this.#candidates(channelNamed(named));
    if (channels.length === 0) {
      throw new Refusal('record_not_found', `There is no channel ${named} with a provider.`, { field: 'channel' });
    }
    const callback = { ...message, receivedMs: this.#options.clock() };
    const read = await this.#read(channels, callback);
    await this.#keep(read, callback);
  }

  /** Of a code, which is unique within its tenant alone, all channels that have it: the signature says which is meant. */
  async #candidates(named: NamedChannel | undefined): Promise<ProvidedChannel[]> {
    if (named === undefined) return [];
    const { database, channels } = this.#options;
    const ids = 'id' in named ? [named] : await database.run(findByCode, [named.code]);
    const found = await Promise.all(ids.map(({ id }) => channels.find(id)));
    return found.filter((channel): channel is ProvidedChannel => (channel?.provider ?? null) !== null);
  }

  /** By the first channel that takes it for its provider's. A channel that cannot be asked hides no other. */
  async #read(channels: readonly ProvidedChannel[], callback: Callback): Promise<Read> {
    const { providers, credentials, observe } = this.#options;
    let reason: unknown;
    for (const { id, provider } of channels) {
      try {
        const connector = await providers.of(provider);
        const news = connector.readCallback(callback, await credentials.of(id));
        return { channelId: id, news, notice: keptNotice(news) };
      } catch (error) {
        if (reason === undefined || !isRefused(error)) reason = error;
      }
    }
    if (!isRefused(reason)) throw reason;
    observe('refused');
    // Of several, none must be told from what another one says.
    if (channels.length === 1) throw reason;
    throw new Refusal('callback_invalid', 'No channel with this code takes it for a callback of its provider.');
  }

  async #keep({ channelId, news: { eventId }, notice }: Read, { body, receivedMs }: Callback): Promise<void> {
    const { database, drawUuid, seal, observe } = this.#options;
    const id = drawUuid();
    const sealed = seal(body.toString('base64'), bodyPlace(channelId, id));
    const kept = notice === null ? null : JSON.stringify(notice);
    const [row] = await database.run(keepCallback, [channelId, eventId, id, receivedMs, kept, sealed]);
    observe(row === undefined ? 'repeated' : 'received');
  }
}

/** Where a callback's body is kept, in base64: it opens nowhere else. */
export const bodyPlace = (channelId: number, id: string) => `provider_callback/${channelId}/${id}/body`;

/** A genuine callback: whose it is, and what is kept of it. */
interface Read {
  channelId: number;
  news: CallbackNews;
  notice: CallbackContent | null;
}

function isRefused(error: unknown): boolean {
  return error instanceof Refusal && error.type === 'callback_invalid';
}
