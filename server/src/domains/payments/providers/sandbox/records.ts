import type { Clock } from '../../../../core/clock.ts';
import { plainArray, textArray } from '../../../../platform/postgres/array-literal.ts';
import { Batcher } from '../../../../platform/postgres/batcher.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { behaviourOfWord } from './behaviours.ts';
import { expireAuthorization, settleCapture, settleRelease } from './capture-statements.ts';
import { type PayerChoice, payerChoices } from './new-record.ts';
import {
  countOperationLookUp,
  decideOperation,
  failReturned,
  findOperation,
  fixDueResult,
  insertMany,
  type NewOperationRecord,
  type OperationRecord,
  recordRepeatedCalls,
  settleCancel,
  settleRefund,
} from './statements.ts';

/** The same limits as for creating payments, from which most operations come. */
const maxBatch = 500;
const maxQueued = 10_000;

export interface SandboxRecordsOptions {
  database: Queryable;
  clock: Clock;
}

/** The operations that the sandbox has received, and their results. */
export class SandboxRecords {
  readonly #options: SandboxRecordsOptions;
  readonly #insertions: Batcher<NewOperationRecord, OperationRecord>;

  constructor(options: SandboxRecordsOptions) {
    this.#options = options;
    this.#insertions = new Batcher({
      run: (records) => this.#insertBatch(records),
      maxBatch,
      maxQueued,
    });
  }

  /** Records an operation once. Returns `record` itself if it is new, otherwise the existing record under its key. */
  insertOnce(record: NewOperationRecord): Promise<OperationRecord> {
    return this.#insertions.add(record);
  }

  /**
   * Carries out a refund, cancellation, capture or release that has not been carried out yet. Returns other records
   * unchanged.
   */
  async settle(record: OperationRecord): Promise<OperationRecord> {
    const { key, kind, state, behaviour } = record;
    if (state !== 'UNTAKEN' || kind === 'CHARGE') return record;
    const [settled] = await this.#settleNow({ key, kind, behaviour });
    return this.#current(settled, record);
  }

  #settleNow({
    key,
    kind,
    behaviour,
  }: Pick<OperationRecord, 'key' | 'kind' | 'behaviour'>): Promise<OperationRecord[]> {
    const { database, clock } = this.#options;
    if (kind === 'RELEASE') return database.run(settleRelease, [key]);
    if (kind !== 'CAPTURE') return database.run(kind === 'REFUND' ? settleRefund : settleCancel, [key, clock()]);
    const releasesApart = behaviourOfWord(behaviour)?.releasesApart ?? false;
    return database.run(settleCapture, [key, clock(), releasesApart]);
  }

  async find(key: string): Promise<OperationRecord | undefined> {
    const [record] = await this.#options.database.run(findOperation, [key]);
    return record;
  }

  /** Counts a look-up if the operation succeeds after a number of them. */
  async countLookUp(record: OperationRecord): Promise<OperationRecord> {
    if (record.state !== 'PENDING' || record.lookups_left === null) return record;
    const [counted] = await this.#options.database.run(countOperationLookUp, [record.key]);
    return this.#current(counted, record);
  }

  /**
   * Applies a change of the result that has become due. Must run before the result is reported, because that makes it
   * final.
   */
  async applyDueChange(record: OperationRecord): Promise<OperationRecord> {
    const { database, clock } = this.#options;
    if (record.returns_ms !== null && record.returns_ms <= clock()) {
      const [returned] = await database.run(failReturned, [record.key, clock()]);
      return this.#current(returned, record);
    }
    if (record.state === 'AUTHORIZED' && record.expires_ms !== null && record.expires_ms <= clock()) {
      const [expired] = await database.run(expireAuthorization, [record.key, clock()]);
      return this.#current(expired, record);
    }
    if (record.settles_ms === null || record.settles_ms > clock()) return record;
    const [settled] = await database.run(fixDueResult, [record.key, clock()]);
    return this.#current(settled, record);
  }

  /** Applies the payer's choice. Undefined if the payer has chosen before or cannot choose. */
  async decide(
    key: string,
    decision: PayerChoice,
    kind: 'CHARGE' | 'SETUP' = 'CHARGE',
  ): Promise<OperationRecord | undefined> {
    const { state, failureCode } = payerChoices[decision];
    const { database, clock } = this.#options;
    const [record] = await database.run(decideOperation, [key, state, failureCode, decision, clock(), kind]);
    return record;
  }

  /** Resolves when no insertion is running. */
  drained(): Promise<void> {
    return this.#insertions.drained();
  }

  /**
   * The updated record. If the update matched no row, a concurrent call has made the change: reads the record again.
   */
  async #current(updated: OperationRecord | undefined, before: OperationRecord): Promise<OperationRecord> {
    return updated ?? (await this.find(before.key)) ?? before;
  }

  async #insertBatch(records: readonly NewOperationRecord[]): Promise<OperationRecord[]> {
    const { database } = this.#options;
    // Sorted, because two nodes that insert the same keys in different orders would deadlock.
    const inOrder = records.toSorted(byKey);
    const inserted = await insertMany(database, inOrder);
    if (inserted.length === records.length) return records.slice();
    const insertedKeys = new Set(inserted.map(({ key }) => key));
    // If a key occurs several times in a batch, its first record was inserted.
    const repeated = new Set(inOrder.filter((record) => !insertedKeys.delete(record.key)));
    const counts = new Map<string, number>();
    for (const { key } of repeated) counts.set(key, (counts.get(key) ?? 0) + 1);
    const rows = await database.run(recordRepeatedCalls, [
      textArray([...counts.keys()]),
      plainArray([...counts.values()]),
    ]);
    const existing = new Map(rows.map((row) => [row.key, row]));
    return records.map((record) => (repeated.has(record) ? requireRecord(existing.get(record.key), record) : record));
  }
}

function byKey(a: NewOperationRecord, b: NewOperationRecord): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

function requireRecord(row: OperationRecord | undefined, { key }: NewOperationRecord): OperationRecord {
  if (row === undefined) throw new Error(`The sandbox neither recorded nor found ${key}.`);
  return row;
}
