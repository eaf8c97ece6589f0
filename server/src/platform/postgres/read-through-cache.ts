import { LRUCache } from 'lru-cache';

export interface ReadThroughCacheOptions<Key, Value> {
  /** Reads the truth. Undefined means there is none; that is not remembered. */
  load: (key: Key) => Promise<Value | undefined>;
  /** Entries kept at most; the least recently used go first. */
  max: number;
}

/**
 * Remembers what was read until it is told of a change. While changes cannot be heard (`deaf`), it remembers nothing
 * and every look goes to the database, so that a revoked key or session is never served from memory.
 */
export class ReadThroughCache<Key extends {}, Value extends {}> {
  readonly #load: (key: Key) => Promise<Value | undefined>;
  readonly #entries: LRUCache<Key, Value>;
  /** One read for all who ask while it runs: a thousand payments of a channel that was just changed ask once. */
  readonly #reading = new Map<Key, Promise<Value | undefined>>();
  /** Rises with every change heard: what was being read meanwhile may be old and is not kept. */
  #changes = 0;
  #disconnected = false;

  constructor({ load, max }: ReadThroughCacheOptions<Key, Value>) {
    this.#load = load;
    this.#entries = new LRUCache({ max });
  }

  /** What is remembered, without asking anyone: the hot path's first look. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  get(key: Key): Promise<Value | undefined> {
    const remembered = this.#entries.get(key);
    if (remembered !== undefined) return Promise.resolve(remembered);
    // Who is deaf must not be given what was read before they asked.
    if (this.#disconnected) return this.#load(key);
    const reading = this.#reading.get(key);
    if (reading !== undefined) return reading;
    const begun = this.#read(key).finally(() => {
      if (this.#reading.get(key) === begun) this.#reading.delete(key);
    });
    this.#reading.set(key, begun);
    return begun;
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
