export interface Costed {
  /** The group that the item belongs to. */
  group: unknown;
  cost: number;
}

interface Group<Item> {
  key: unknown;
  items: readonly Item[];
  next: number;
  spent: number;
}

/**
 * The most that an item may cost without a deficit. A payment of this cost takes about twice the time of one of cost 1.
 */
const ordinaryCost = 8;

/**
 * Other groups count as expected for this many batches after their last item. A batch starts before the requests of the
 * previous one are answered, so the next requests of these groups arrive after it has started.
 */
const expectedForBatches = 8;

/**
 * Items in order of arrival, taken in batches of limited cost. A group with expensive items gets fewer places, so that
 * it hardly delays the items of other groups:
 *
 * - A batch that cannot hold everything is divided among the groups by cost, at most a quarter to each.
 * - An item that costs more than an ordinary one leaves its group with a deficit, the difference. While items of other
 *   groups wait, the group gets no further item until the others have got as much. While other groups are expected, it
 *   gets one item per batch. This keeps the batches short in which, or for which, other groups wait.
 */
export class FairQueue<Item extends Costed> {
  #items: Item[] = [];
  #cost = 0;
  #expensive = 0;
  readonly #deficits = new Map<unknown, number>();
  /** The groups of the last batches, while items are expensive. */
  #recent: ReadonlySet<unknown>[] = [];
  #cheapBatches = 0;

  get length(): number {
    return this.#items.length;
  }

  /** The item that has waited longest. */
  get first(): Item | undefined {
    return this.#items[0];
  }

  push(item: Item): void {
    this.#items.push(item);
    this.#cost += item.cost;
    if (isExpensive(item)) this.#expensive++;
  }

  /** Takes at most `maxItems`, which cost at most `maxCost` together; but at least one. */
  take(maxItems: number, maxCost: number): Item[] {
    const items = this.#items;
    const isUnequal = this.#expensive > 0 || this.#deficits.size > 0 || this.#recent.length > 0;
    if (!isUnequal && items.length <= maxItems && this.#cost <= maxCost) {
      this.#items = [];
      this.#cost = 0;
      return items;
    }
    const taken = [...this.#shared(maxItems, maxCost)];
    const isTaken = new Set(taken);
    this.#items = items.filter((item) => !isTaken.has(item));
    for (const item of taken) {
      this.#cost -= item.cost;
      if (isExpensive(item)) this.#expensive--;
    }
    this.#remember(taken);
    return taken;
  }

  /**
   * Gives the next place to the group that has spent least; among equals, to the one that has waited longest. A group
   * whose next item does not fit waits for the next batch, in which it comes first.
   */
  *#shared(maxItems: number, maxCost: number): Generator<Item> {
    const waiting = [...Map.groupBy(this.#items, ({ group }) => group)]
      .slice(0, maxItems)
      .map(([key, items]): Group<Item> => ({ key, items, next: 0, spent: 0 }));
    const isAlone = waiting.length === 1;
    const isDisturbing = !isAlone || this.#expectsOthersThan(waiting[0]?.key);
    if (!isDisturbing) this.#deficits.delete(waiting[0]?.key);
    const maxShare = isAlone ? maxCost : maxCost / 4;
    let count = 0;
    let total = 0;
    while (count < maxItems && waiting.length > 0) {
      const group = waiting.reduce((least, other) => (other.spent < least.spent ? other : least));
      const item = group.items[group.next] as Item;
      const hasShare = group.spent === 0 || group.spent + item.cost <= maxShare;
      const isLast = count === 0 && waiting.length === 1;
      const fits =
        isLast || (!this.#deficits.has(group.key) && (count === 0 || (hasShare && total + item.cost <= maxCost)));
      if (fits) {
        yield item;
        count++;
        total += item.cost;
        group.spent += item.cost;
        group.next++;
        this.#payDeficitsOfOthers(group.key, item.cost);
        if (isDisturbing && isExpensive(item)) this.#deficits.set(group.key, item.cost - ordinaryCost);
      }
      if (!fits || group.next === group.items.length) waiting.splice(waiting.indexOf(group), 1);
    }
  }

  /** An item of one group reduces the deficits of all others. */
  #payDeficitsOfOthers(of: unknown, cost: number): void {
    for (const [group, deficit] of this.#deficits) {
      if (group === of) continue;
      if (deficit > cost) this.#deficits.set(group, deficit - cost);
      else this.#deficits.delete(group);
    }
  }

  #remember(taken: readonly Item[]): void {
    const isCheap = this.#expensive === 0 && !taken.some(isExpensive);
    this.#cheapBatches = isCheap ? this.#cheapBatches + 1 : 0;
    this.#recent.push(new Set(taken.map(({ group }) => group)));
    if (this.#recent.length > expectedForBatches) this.#recent.shift();
    if (this.#cheapBatches >= expectedForBatches) this.#recent = [];
  }

  #expectsOthersThan(key: unknown): boolean {
    return this.#recent.some((groups) => groups.size > 1 || !groups.has(key));
  }
}

const isExpensive = ({ cost }: Costed) => cost > ordinaryCost;
