/** Something that ends at a deadline unless it is removed before; part of a list of such. */
export interface Expiring {
  /** By `performance.now()`. */
  readonly deadlineMs: number;
  previous: Expiring | undefined;
  next: Expiring | undefined;
  /** Ends it, and removes it from the list. */
  expire(): void;
}

/**
 * The deadlines of attempts in flight, under one timer: a linked list, earliest first. Nearly all are as long as each other,
 * so that they are appended; and nearly all are removed in time, so that the timer fires once in the length of a deadline.
 * A timer for each attempt took 1 µs of it and 400 bytes.
 */
export class Deadlines {
  #first: Expiring | undefined;
  #last: Expiring | undefined;
  #timer: NodeJS.Timeout | undefined;
  #firesAtMs = Number.POSITIVE_INFINITY;
  #isClosed = false;

  add(one: Expiring): void {
    let previous = this.#last;
    while (previous !== undefined && previous.deadlineMs > one.deadlineMs) previous = previous.previous;
    const next = previous === undefined ? this.#first : previous.next;
    this.#link(previous, one);
    this.#link(one, next);
    if (one.deadlineMs < this.#firesAtMs) this.#fireAt(one.deadlineMs);
  }

  remove(one: Expiring): void {
    this.#link(one.previous, one.next);
    one.previous = undefined;
    one.next = undefined;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #link(previous: Expiring | undefined, next: Expiring | undefined): void {
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
  }

  #fireAt(deadlineMs: number): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#firesAtMs = deadlineMs;
    // Sockets are read before an immediate runs: an answer that arrived in time counts even if this process was frozen then.
    const expire = () => setImmediate(() => this.#expire());
    this.#timer = setTimeout(expire, Math.max(1, Math.ceil(deadlineMs - performance.now())));
  }

  /** Timers count whole milliseconds, and may fire early. */
  #expire(): void {
    this.#firesAtMs = Number.POSITIVE_INFINITY;
    const nowMs = performance.now();
    for (let one = this.#first; one !== undefined && one.deadlineMs <= nowMs; one = this.#first) one.expire();
    if (this.#first !== undefined) this.#fireAt(this.#first.deadlineMs);
  }
}
