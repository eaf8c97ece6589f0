import { LRUCache } from 'lru-cache';

/**
 * A cache that drops the least recently used entry when it has more than `maxEntries`. It grows as it is filled: with
 * the option `max` the library makes room for all entries at once, 200 KB for 10,000, and a node has twenty such
 * caches.
 */
export function boundedCache<Key extends {}, Value extends {}>(maxEntries: number): LRUCache<Key, Value> {
  return new LRUCache({ maxSize: maxEntries, sizeCalculation: () => 1 });
}
