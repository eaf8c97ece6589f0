/**
 * A queue that serves its keys in turn: the first item of a key waits for at most one item of each other key, however
 * many items those have. Items of one key keep their order.
 */
export class RoundRobinQueue<Item> {
  /** In the order in which the keys are served. */
  readonly #byKey = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(key: string, item: Item): void {
    const items = this.#byKey.get(key);
    if (items === undefined) this.#byKey.set(key, [item]);
    else items.push(item);
    this.#size++;
  }

  /** The next item; undefined when the queue is empty. */
  shift(): Item | undefined {
    for (const [key, items] of this.#byKey) {
      this.#byKey.delete(key);
      const item = items.shift();
      if (items.length > 0) this.#byKey.set(key, items); // The key is served last from now on.
      this.#size--;
      return item;
    }
    return undefined;
  }

  /** Number of items of one key. */
  sizeOf(key: string): number {
    return this.#byKey.get(key)?.length ?? 0;
  }

  /** Removes the newest item of the key that has the most. Undefined when no key has more than `least` items. */
  dropFromLongest(least: number): Item | undefined {
    let longest: [string, Item[]] | undefined;
    for (const entry of this.#byKey) {
      if (entry[1].length > (longest?.[1].length ?? least)) longest = entry;
    }
    if (longest === undefined) return undefined;
    const [key, items] = longest;
    const dropped = items.pop();
    if (items.length === 0) this.#byKey.delete(key);
    this.#size--;
    return dropped;
  }
}
