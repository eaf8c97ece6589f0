import type { Bus } from './bus/bus.ts';
import { ReadThroughCache, type ReadThroughCacheOptions } from './read-through-cache.ts';
import type { CacheName } from './statement.ts';

export interface CacheOptions<Key, Value> extends ReadThroughCacheOptions<Key, Value> {
  /** The key of an entry, from the text in a notification: `Number` or `String`. */
  parseKey: (text: string) => Key;
  /** Records of which each entry holds a copy: any change of one drops all entries. */
  clearedBy?: CacheName;
}

/**
 * Makes the caches of this process. Each is named after the records that it holds. Statements declare by that name
 * which entries they change (`statement(…, { invalidates })`); nothing else is needed to keep a cache true.
 */
export class Caches {
  readonly #bus: Pick<Bus, 'onChange'>;
  readonly #names = new Set<CacheName>();

  constructor(bus: Pick<Bus, 'onChange'>) {
    this.#bus = bus;
  }

  readThrough<Key extends {}, Value extends {}>(
    name: CacheName,
    { parseKey, clearedBy, ...options }: CacheOptions<Key, Value>,
  ): ReadThroughCache<Key, Value> {
    const cache = new ReadThroughCache(options);
    this.#names.add(name);
    this.#bus.onChange(name, {
      changed: (key) => cache.drop(parseKey(key)),
      disconnected: (disconnected) => {
        cache.disconnected = disconnected;
      },
    });
    if (clearedBy !== undefined) {
      this.#names.add(clearedBy);
      this.#bus.onChange(clearedBy, { changed: () => cache.clear() });
    }
    return cache;
  }

  /** The names by which entries are dropped. */
  get names(): ReadonlySet<CacheName> {
    return this.#names;
  }
}
