import type { Clock } from '../../../../core/clock.ts';
import { plainArray, textArray } from '../../../../platform/postgres/array-literal.ts';
import { Batcher } from '../../../../platform/postgres/batcher.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { type Decision, payerChoices } from './new-record.ts';
import {
  countOperationLookUp,
  decideOperation,
  failReturnedRefund,
  findOperation,
  fixDueResult,
  insertMany,
  type NewOperationRecord,
  type OperationRecord,
  recordRepeatedCalls,
  settleCancel,
  settleRefund,
} from './statements.ts';

/** Rows in one statement at most, and operations waiting at most: as with the creates they come from. */
const maxBatch = 500;
const maxQueued = 10_000;

export interface SandboxRecordsOptions {
  database: Queryable;
  clock: Clock;
}

/** The sandbox's books: what it was asked for, and what became of it. */
export class SandboxRecords {
  readonly #options: SandboxRecordsOptions;
  readonly #insertions: Batcher<NewOperationRecord, OperationRecord>;

  constructor(options: SandboxRecordsOptions) {
    this.#options = options;
    this.#insertions = new Batcher({
      run: (bookings) => this.#insertBatch(bookings),
      maxBatch: maxBatch,
      maxQueued: maxQueued,
    });
  }

  /** Books an operation once: gives back the booking itself, or what stands already under its key. */
  insertOnce(booking: NewOperationRecord): Promise<OperationRecord> {
    return this.#insertions.add(booking);
  }

  /** The end of a refund or a cancellation that has been taken; anything else as it stands. */
  async settle(row: OperationRecord): Promise<OperationRecord> {
    if (row.state !== 'UNTAKEN' || row.kind === 'CHARGE') return row;
    const { database, clock } = this.#options;
    const settling = row.kind === 'REFUND' ? settleRefund : settleCancel;
    const [settle] = await database.run(settling, [row.key, clock()]);
    // Nothing came back: another call with this key has settled it in the meantime.
    return settle ?? (await this.find(row.key)) ?? row;
  }

  async find(key: string): Promise<OperationRecord | undefined> {
    const [row] = await this.#options.database.run(findOperation, [key]);
    return row;
  }

  /** Counts a look-up where that changes anything. */
  async countLookUp(row: OperationRecord): Promise<OperationRecord> {
    if (row.state !== 'PENDING' || row.lookups_left === null) return row;
    const [counted] = await this.#options.database.run(countOperationLookUp, [row.key]);
    return counted ?? (await this.find(row.key)) ?? row;
  }

  /** As it may be told now: an end that has come is fixed before anyone hears of it, so that it stays. */
  async applyDueChange(row: OperationRecord): Promise<OperationRecord> {
    const { database, clock } = this.#options;
    if (row.returns_ms !== null && row.returns_ms <= clock()) {
      const [returned] = await database.run(failReturnedRefund, [row.key, clock()]);
      return returned ?? (await this.find(row.key)) ?? row;
    }
    if (row.settles_ms === null || row.settles_ms > clock()) return row;
    const [settle] = await database.run(fixDueResult, [row.key, clock()]);
    return settle ?? (await this.find(row.key)) ?? row;
  }

  /** Undefined: it was decided before, or is not the payer's to decide. */
  async decide(key: string, decision: Decision): Promise<OperationRecord | undefined> {
    const { state, failureCode } = payerChoices[decision];
    const { database, clock } = this.#options;
    const [row] = await database.run(decideOperation, [key, state, failureCode, decision, clock()]);
    return row;
  }

  drained(): Promise<void> {
    return this.#insertions.drained();
  }

  async #insertBatch(bookings: readonly NewOperationRecord[]): Promise<OperationRecord[]> {
    const { database } = this.#options;
    // Two nodes that take the same keys must take them in the same order, or each waits for the other.
    const inOrder = bookings.toSorted(byKey);
    const taken = await insertMany(database, inOrder);
    if (taken.length === bookings.length) return bookings.slice();
    const isNew = new Set(taken.map((row) => row.key));
    // Of several with one key in one batch the first was booked.
    const again = new Set(inOrder.filter((booking) => !isNew.delete(booking.key)));
    const counts = new Map<string, number>();
    for (const { key } of again) counts.set(key, (counts.get(key) ?? 0) + 1);
    const rows = await database.run(recordRepeatedCalls, [
      textArray([...counts.keys()]),
      plainArray([...counts.values()]),
    ]);
    const standing = new Map(rows.map((row) => [row.key, row]));
    return bookings.map((booking) =>
      again.has(booking) ? requireRecord(standing.get(booking.key), booking) : booking,
    );
  }
}

function byKey(a: NewOperationRecord, b: NewOperationRecord): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

function requireRecord(row: OperationRecord | undefined, { key }: NewOperationRecord): OperationRecord {
  if (row === undefined) throw new Error(`The sandbox neither booked nor found ${key}.`);
  return row;
}
