import type { ChannelDirectory } from '../channels/directory.ts';
import type { Breaker } from './breaker.ts';
import type { ChannelPace } from './channel-pace.ts';

/** Operations of one channel in flight in this process, including those whose settlement is being written. */
export const maximumInFlightPerChannel = 500;

/** After a full or paced channel has room again, the operations that waited for it are claimed within this time. */
const recentMs = 5_000;

/** How many more operations of each channel this process may claim. */
export class ChannelLimits {
  readonly #breaker: Breaker;
  readonly #channels: Pick<ChannelDirectory, 'find'>;
  readonly #pace: Pick<ChannelPace, 'held'>;
  readonly #inFlight = new Map<number, number>();
  /** When operations of each channel last waited for its provider, in ms of performance.now(). */
  readonly #waitedAtMs = new Map<number, number>();

  constructor(breaker: Breaker, channels: Pick<ChannelDirectory, 'find'>, pace: Pick<ChannelPace, 'held'>) {
    this.#breaker = breaker;
    this.#channels = channels;
    this.#pace = pace;
  }

  /** Operations that wait for the sandbox (`isOwnProvider`) wait for this machine. */
  started(channelId: number, isOwnProvider = false): void {
    const count = this.#inFlightOf(channelId) + 1;
    this.#inFlight.set(channelId, count);
    if (count >= maximumInFlightPerChannel && !isOwnProvider) this.waited(channelId);
  }

  /**
   * Operations of the channel wait for its provider: it has as many in flight as it may, or takes only some a second.
   */
  waited(channelId: number): void {
    this.#waitedAtMs.set(channelId, performance.now());
  }

  /** Whether operations of the channel have recently waited for its provider. */
  hasWaited(channelId: number): boolean {
    return performance.now() - (this.#waitedAtMs.get(channelId) ?? Number.NEGATIVE_INFINITY) < recentMs;
  }

  finished(channelId: number): void {
    const left = this.#inFlightOf(channelId) - 1;
    if (left > 0) this.#inFlight.set(channelId, left);
    else this.#inFlight.delete(channelId);
  }

  /**
   * The limit of each channel with operations in flight, with refusals that are being gathered, or with a breaker that
   * is not closed. All others: the maximum.
   */
  async current(): Promise<[channelId: number, maximum: number][]> {
    const limits = new Map(
      [...this.#inFlight].map(([id, count]) => [id, Math.max(0, maximumInFlightPerChannel - count)]),
    );
    for (const { channelId, state } of this.#breaker.failingChannels) {
      if (state === 'open') {
        const limit = limits.get(channelId) ?? maximumInFlightPerChannel;
        limits.set(channelId, (await this.#hasFallback(channelId)) ? limit : 0);
      } else if (state === 'half_open') {
        limits.set(channelId, this.#inFlightOf(channelId) === 0 ? 1 : 0);
      }
    }
    for (const channelId of this.#pace.held) limits.set(channelId, 0);
    return [...limits];
  }

  #inFlightOf(channelId: number): number {
    return this.#inFlight.get(channelId) ?? 0;
  }

  /** Whether the channel lists fallback channels. Which of them accepts a payment is decided for each payment. */
  async #hasFallback(channelId: number): Promise<boolean> {
    const channel = await this.#channels.find(channelId);
    return channel !== undefined && channel.fallback_channel_ids.length > 0;
  }
}
