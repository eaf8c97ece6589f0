import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../caching/bounded-cache.ts';

export interface ReadThroughCacheOptions<Key, Value> {
  /** Reads the value from the database. Undefined: there is none, which is not cached. */
  load: (key: Key) => Promise<Value | undefined>;
  /** Maximum number of entries; the least recently used are evicted. */
  max: number;
}

/**
 * Caches values until they change; made by `Caches`. While notifications of changes are disconnected it caches nothing
 * and reads every value from the database, so that a revoked key or session is never served from memory.
 */
export class ReadThroughCache<Key extends {}, Value extends {}> {
  readonly #load: (key: Key) => Promise<Value | undefined>;
  readonly #entries: LRUCache<Key, Value>;
  /**
   * Reads in flight, shared by concurrent callers: a thousand payments after a change of their channel cause one read.
   */
  readonly #reading = new Map<Key, Promise<Value | undefined>>();
  /** Counts changes: a value whose read overlaps one may be stale and is not cached. */
  #changes = 0;
  #disconnected = false;

  constructor({ load, max }: ReadThroughCacheOptions<Key, Value>) {
    this.#load = load;
    this.#entries = boundedCache(max);
  }

  /** The cached value, synchronously: for the hot path. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  get(key: Key): Promise<Value | undefined> {
    const cached = this.#entries.get(key);
    if (cached !== undefined) return Promise.resolve(cached);
    // While notifications are disconnected, never share a read that began earlier.
    if (this.#disconnected) return this.#load(key);
    const reading = this.#reading.get(key);
    if (reading !== undefined) return reading;
    const started = this.#read(key).finally(() => {
      if (this.#reading.get(key) === started) this.#reading.delete(key);
    });
    this.#reading.set(key, started);
    return started;
  }

  async #read(key: Key): Promise<Value | undefined> {
    const changesBefore = this.#changes;
    const value = await this.#load(key);
    if (value !== undefined && !this.#disconnected && changesBefore === this.#changes) this.#entries.set(key, value);
    return value;
  }

  drop(key: Key): void {
    this.#changes++;
    this.#entries.delete(key);
    this.#reading.delete(key);
  }

  clear(): void {
    this.#changes++;
    this.#entries.clear();
    this.#reading.clear();
  }

  set disconnected(disconnected: boolean) {
    this.#disconnected = disconnected;
    this.clear();
  }
}
