import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../core/clock.ts';
import { isUnavailable, Refusal } from '../../../core/errors.ts';
import type { GenerateUuid } from '../../../core/id.ts';
import { withEvenFailures } from '../../../platform/http/limits/even-timing.ts';
import type { FailureLimiter } from '../../../platform/http/limits/rate-limiter.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { ChannelCredentials } from '../channels/credentials.ts';
import type { ChannelDirectory } from '../channels/directory.ts';
import { type ChannelRow, findByCode } from '../channels/statements.ts';
import { referenceDigest } from '../methods/kept.ts';
import type { ProviderName, Providers } from '../providers/directory.ts';
import type { Callback, ProviderCallback } from '../providers/provider.ts';
import { type CallbackContent, contentOf, parseChannelParam } from './rules.ts';
import { storeCallback } from './statements.ts';

export type ReceiveResult = 'received' | 'repeated' | 'refused';

/**
 * Refusals are delayed to a multiple of this. It is longer than a query for a channel, so nearly all take the same
 * time.
 */
const refusalStepMs = 10;

export interface CallbackIntakeOptions {
  database: Queryable;
  channels: ChannelDirectory;
  credentials: ChannelCredentials;
  providers: Providers;
  clock: Clock;
  generateUuid: GenerateUuid;
  /** Seals a body, which may contain personal data of payers, for its row. */
  seal: (plain: string, associatedData: string) => Buffer;
  failures: FailureLimiter;
  observe: (result: ReceiveResult) => void;
  logError: (error: unknown, message: string) => void;
}

/** A callback as the HTTP server receives it. */
export type CallbackRequest = Omit<Callback, 'receivedMs'>;

/** The address that a callback was sent to, and the network that it came from. */
export interface CallbackAddress {
  /** The id or the code of a channel. */
  channel: string;
  /** The unguessable part of the address; undefined at the address without one. */
  token: string | undefined;
  /** The sender's network. */
  network: string;
}

interface ProviderChannel extends ChannelRow {
  provider: ProviderName;
}

/**
 * Receives callbacks: refuses those whose signature does not verify, and stores all others before they are answered.
 * The `CallbackWorker` settles them afterwards, so that providers do not wait and no crash loses a callback.
 */
export class CallbackIntake {
  readonly #options: CallbackIntakeOptions;

  constructor(options: CallbackIntakeOptions) {
    this.#options = options;
  }

  /**
   * Receives a callback from the network. Every callback that cannot be verified gets the same refusal,
   * `callback_invalid`, so that strangers learn neither which channels exist nor which have a provider or a secret; the
   * log has the reason. Failures are limited for each network; they never keep out a callback that is genuine.
   */
  receive({ channel, token, network }: CallbackAddress, request: CallbackRequest): Promise<void> {
    return withEvenFailures(refusalStepMs, async () => {
      const channels = await this.#findChannels(channel, token);
      const callback = { ...request, receivedMs: this.#options.clock() };
      const verified = await this.#options.failures.attempt(network, () => this.#verifyOrRefuse(channels, callback));
      await this.#store(verified, callback);
    });
  }

  /** Receives a message of the sandbox, which is part of Florin. */
  async receiveFromSandbox(channelId: number, request: CallbackRequest): Promise<void> {
    const callback = { ...request, receivedMs: this.#options.clock() };
    await this.#store(await this.#verify(await this.#findChannels(String(channelId), undefined), callback), callback);
  }

  async #verifyOrRefuse(channels: readonly ProviderChannel[], callback: Callback): Promise<VerifiedCallback> {
    try {
      return await this.#verify(channels, callback);
    } catch (cause) {
      if (isUnavailable(cause)) throw cause;
      this.#options.observe('refused');
      throw new Refusal(
        'callback_invalid',
        "This is not a callback that can be verified: check its address and the channel's webhookSecret.",
        { cause },
      );
    }
  }

  /** A code is unique only within its tenant: all channels with the code are candidates, and the signature decides. */
  async #findChannels(channelParam: string, token: string | undefined): Promise<ProviderChannel[]> {
    const parsed = parseChannelParam(channelParam);
    if (parsed === undefined) return [];
    const { database, channels } = this.#options;
    const ids = 'id' in parsed ? [parsed] : await database.run(findByCode, [parsed.code]);
    const found = await Promise.all(ids.map(({ id }) => channels.find(id)));
    return found
      .filter((channel): channel is ProviderChannel => (channel?.provider ?? null) !== null)
      .filter(({ callback_token }) => token === undefined || isEqual(token, callback_token));
  }

  /**
   * Returns the first channel whose provider accepts the callback. A channel that fails otherwise does not end the
   * search.
   */
  async #verify(channels: readonly ProviderChannel[], callback: Callback): Promise<VerifiedCallback> {
    const { providers, credentials, logError } = this.#options;
    let reason: unknown = new Refusal('callback_invalid', 'There is no such channel with a provider.');
    for (const { id, provider } of channels) {
      try {
        const connector = await providers.of(provider);
        const message = connector.readCallback(callback, await credentials.forCallbacks(id));
        return { channelId: id, eventId: message.eventId, content: contentOf(this.#withDigest(message, id)) };
      } catch (error) {
        if (!(error instanceof Refusal)) logError(error, `A callback to channel ${id} could not be verified`);
        // An outage is reported rather than a refusal: the provider then sends the callback again.
        if (!isUnavailable(reason)) reason = error;
      }
    }
    throw reason;
  }

  /** The id of a method, or of the customer that it is kept with, is stored as a digest only. */
  #withDigest(message: ProviderCallback, channelId: number): ProviderCallback {
    const { methodNotice } = message;
    if (methodNotice === undefined || methodNotice.of === 'SETUP') return message;
    const reference = referenceDigest(this.#options.database, channelId, methodNotice.reference).toString('hex');
    return { ...message, methodNotice: { ...methodNotice, reference } };
  }

  async #store({ channelId, eventId, content }: VerifiedCallback, { body, receivedMs }: Callback): Promise<void> {
    const { database, generateUuid, seal, observe } = this.#options;
    const id = generateUuid();
    const sealed = seal(body.toString('base64'), bodyAssociatedData(channelId, id));
    const contentJson = content === null ? null : JSON.stringify(content);
    const [row] = await database.run(storeCallback, [channelId, eventId, id, receivedMs, contentJson, sealed]);
    observe(row === undefined ? 'repeated' : 'received');
  }
}

/** The associated data of a callback's body, which is sealed in base64. */
export const bodyAssociatedData = (channelId: number, id: string) => `provider_callback/${channelId}/${id}/body`;

/** The content is null if the callback is about something that Florin does not follow. */
interface VerifiedCallback {
  channelId: number;
  eventId: string;
  content: CallbackContent | null;
}

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
