export interface Costed {
  /** Whose it is. */
  group: unknown;
  cost: number;
}

interface Group<Item> {
  items: readonly Item[];
  next: number;
  spent: number;
}

/**
 * Items in order of arrival, taken in batches of limited cost. A batch that cannot hold everything is divided among the
 * groups by cost, at most a quarter to each: a group with expensive items gets fewer of them in, and hardly delays those of
 * others.
 */
export class FairQueue<Item extends Costed> {
  #items: Item[] = [];
  #cost = 0;

  get length(): number {
    return this.#items.length;
  }

  push(item: Item): void {
    this.#items.push(item);
    this.#cost += item.cost;
  }

  /** Takes at most `maxItems`, which cost at most `maxCost` together; but at least one. */
  take(maxItems: number, maxCost: number): Item[] {
    const items = this.#items;
    if (items.length <= maxItems && this.#cost <= maxCost) {
      this.#items = [];
      this.#cost = 0;
      return items;
    }
    const taken = new Set(shared(items, maxItems, maxCost));
    this.#items = items.filter((item) => !taken.has(item));
    for (const { cost } of taken) this.#cost -= cost;
    return [...taken];
  }
}

/**
 * Gives the next place to the group that has spent least, of several to the one that has waited longest. A group whose next
 * item does not fit waits for the next batch, in which it comes first.
 */
function* shared<Item extends Costed>(items: readonly Item[], maxItems: number, maxCost: number): Generator<Item> {
  const waiting = [...Map.groupBy(items, ({ group }) => group).values()]
    .slice(0, maxItems)
    .map((ofGroup): Group<Item> => ({ items: ofGroup, next: 0, spent: 0 }));
  const maxShare = waiting.length > 1 ? maxCost / 4 : maxCost;
  let count = 0;
  let total = 0;
  while (count < maxItems && waiting.length > 0) {
    const group = waiting.reduce((least, other) => (other.spent < least.spent ? other : least));
    const item = group.items[group.next] as Item;
    const hasShare = group.spent === 0 || group.spent + item.cost <= maxShare;
    const fits = count === 0 || (hasShare && total + item.cost <= maxCost);
    if (fits) {
      yield item;
      count++;
      total += item.cost;
      group.spent += item.cost;
      group.next++;
    }
    if (!fits || group.next === group.items.length) waiting.splice(waiting.indexOf(group), 1);
  }
}
