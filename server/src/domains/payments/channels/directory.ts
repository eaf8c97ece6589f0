import { notFound } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Caches } from '../../../platform/postgres/caches.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import type { ReadThroughCache } from '../../../platform/postgres/read-through-cache.ts';
import { hasKeyOfOtherMode } from './key-mode.ts';
import { actOn, isSandbox, mayUse } from './rules.ts';
import type { SecretOpener } from './secrets.ts';
import { type ChannelRow, cachedChannels, findChannelWithKey } from './statements.ts';

/** Channels by id, cached in memory so that creating a payment needs no query for its channel. */
export class ChannelDirectory {
  readonly #cache: ReadThroughCache<number, ChannelRow>;
  readonly #sandboxEnabled: boolean;
  readonly #secrets: SecretOpener;

  /** `sandboxEnabled`: `app.sandbox.enabled`. */
  constructor(database: Database, caches: Pick<Caches, 'readThrough'>, secrets: SecretOpener, sandboxEnabled = true) {
    this.#sandboxEnabled = sandboxEnabled;
    this.#secrets = secrets;
    this.#cache = caches.readThrough(cachedChannels, {
      parseKey: Number,
      max: 10_000,
      load: (id) => this.#read(database, id),
    });
  }

  /** The cached channel, without a query. Undefined does not mean that the channel does not exist. */
  cached(id: number): ChannelRow | undefined {
    return this.#cache.peek(id);
  }

  find(id: number): Promise<ChannelRow | undefined> {
    return this.#cache.get(id);
  }

  /**
   * The channel that payments of this tenant can use: its own, or the platform's. Refuses (`record_not_found`, naming
   * `field`) any other, so that another tenant's channel cannot be distinguished from one that does not exist.
   */
  async findUsable(id: number, tenantId: number, field = 'channelId'): Promise<ChannelRow> {
    const channel = await this.find(id);
    if (channel === undefined || !mayUse(channel, tenantId)) throw notFound('channel', id, field);
    return channel;
  }

  /** The caller, acting for the tenant of the channel with this id, if there is one (`actOn`). */
  async actOn(id: number | null | undefined, principal: Principal): Promise<Principal> {
    return id == null ? principal : actOn(await this.find(id), principal);
  }

  /**
   * For callers inside a transaction: a channel that is not cached is read on the transaction's own connection. Waiting
   * for a second connection could deadlock, because those who use them may wait for locks of this transaction.
   */
  async findInTransaction(transaction: Queryable, id: number): Promise<ChannelRow | undefined> {
    return this.#cache.peek(id) ?? (await this.#read(transaction, id));
  }

  async #read(database: Queryable, id: number): Promise<ChannelRow | undefined> {
    const [found] = await database.run(findChannelWithKey, [id]);
    if (found === undefined) return undefined;
    const { api_key_sealed: _, ...row } = found;
    if (isSandbox(row) && !this.#sandboxEnabled) return { ...row, is_disabled: true };
    return hasKeyOfOtherMode(found, this.#secrets) ? { ...row, has_key_of_other_mode: true } : row;
  }
}
