import type { Clock } from '../../../../core/clock.ts';
import { plainArray, textArray } from '../../../../platform/postgres/array-literal.ts';
import { Batcher } from '../../../../platform/postgres/batcher.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { type Decision, decisions } from './booking.ts';
import {
  type BookedRow,
  type Booking,
  countLookUp,
  decideBooked,
  findBooked,
  returnRefund,
  settleCancel,
  settleDue,
  settleRefund,
  takeAgain,
  takeMany,
} from './statements.ts';

/** Rows in one statement at most, and operations waiting at most: as with the creates they come from. */
const maximumBatch = 500;
const maximumQueued = 10_000;

export interface BooksOptions {
  database: Queryable;
  clock: Clock;
}

/** The sandbox's books: what it was asked for, and what became of it. */
export class Books {
  readonly #options: BooksOptions;
  readonly #taking: Batcher<Booking, BookedRow>;

  constructor(options: BooksOptions) {
    this.#options = options;
    this.#taking = new Batcher({
      run: (bookings) => this.#takeMany(bookings),
      maxBatch: maximumBatch,
      maxQueued: maximumQueued,
    });
  }

  /** Books an operation once: gives back the booking itself, or what stands already under its key. */
  take(booking: Booking): Promise<BookedRow> {
    return this.#taking.add(booking);
  }

  /** The end of a refund or a cancellation that has been taken; anything else as it stands. */
  async settled(row: BookedRow): Promise<BookedRow> {
    if (row.state !== 'UNTAKEN' || row.kind === 'CHARGE') return row;
    const { database, clock } = this.#options;
    const settling = row.kind === 'REFUND' ? settleRefund : settleCancel;
    const [settled] = await database.run(settling, [row.key, clock()]);
    // Nothing came back: another call with this key has settled it in the meantime.
    return settled ?? (await this.find(row.key)) ?? row;
  }

  async find(key: string): Promise<BookedRow | undefined> {
    const [row] = await this.#options.database.run(findBooked, [key]);
    return row;
  }

  /** Counts a look-up where that changes anything. */
  async lookedUp(row: BookedRow): Promise<BookedRow> {
    if (row.state !== 'PENDING' || row.lookups_left === null) return row;
    const [counted] = await this.#options.database.run(countLookUp, [row.key]);
    return counted ?? (await this.find(row.key)) ?? row;
  }

  /** As it may be told now: an end that has come is fixed before anyone hears of it, so that it stays. */
  async told(row: BookedRow): Promise<BookedRow> {
    const { database, clock } = this.#options;
    if (row.returns_ms !== null && row.returns_ms <= clock()) {
      const [returned] = await database.run(returnRefund, [row.key, clock()]);
      return returned ?? (await this.find(row.key)) ?? row;
    }
    if (row.settles_ms === null || row.settles_ms > clock()) return row;
    const [settled] = await database.run(settleDue, [row.key, clock()]);
    return settled ?? (await this.find(row.key)) ?? row;
  }

  /** Undefined: it was decided before, or is not the payer's to decide. */
  async decide(key: string, decision: Decision): Promise<BookedRow | undefined> {
    const { state, failureCode } = decisions[decision];
    const { database, clock } = this.#options;
    const [row] = await database.run(decideBooked, [key, state, failureCode, decision, clock()]);
    return row;
  }

  drained(): Promise<void> {
    return this.#taking.drained();
  }

  async #takeMany(bookings: readonly Booking[]): Promise<BookedRow[]> {
    const { database } = this.#options;
    // Two nodes that take the same keys must take them in the same order, or each waits for the other.
    const inOrder = bookings.toSorted(byKey);
    const taken = await takeMany(database, inOrder);
    if (taken.length === bookings.length) return bookings.slice();
    const isNew = new Set(taken.map((row) => row.key));
    // Of several with one key in one batch the first was booked.
    const again = new Set(inOrder.filter((booking) => !isNew.delete(booking.key)));
    const counts = new Map<string, number>();
    for (const { key } of again) counts.set(key, (counts.get(key) ?? 0) + 1);
    const rows = await database.run(takeAgain, [textArray([...counts.keys()]), plainArray([...counts.values()])]);
    const standing = new Map(rows.map((row) => [row.key, row]));
    return bookings.map((booking) => (again.has(booking) ? demand(standing.get(booking.key), booking) : booking));
  }
}

function byKey(a: Booking, b: Booking): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

function demand(row: BookedRow | undefined, { key }: Booking): BookedRow {
  if (row === undefined) throw new Error(`The sandbox neither booked nor found ${key}.`);
  return row;
}
