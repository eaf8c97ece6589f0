/**
 * The work that a worker performs at present, in places of an array that are reused. A Map whose entries are added and
 * removed under load allocates new tables, to which the old ones refer, so that those in the old generation keep
 * everything alive (bench/README.md).
 */
export class WorkInFlight<Work> {
  readonly #places: (Work | undefined)[] = [];
  readonly #free: number[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Returns the place of the work, by which `remove` finds it. */
  add(work: Work): number {
    const place = this.#free.pop() ?? this.#places.length;
    this.#places[place] = work;
    this.#count++;
    return place;
  }

  remove(place: number): void {
    this.#places[place] = undefined;
    this.#free.push(place);
    this.#count--;
  }

  byKey(keyOf: (work: Work) => string): Map<string, Work> {
    return new Map(this.#places.filter((work) => work !== undefined).map((work) => [keyOf(work), work]));
  }
}
