import type { Refusal } from '../../../core/errors.ts';
import { violatedConstraint } from '../../../platform/postgres/connection/failures.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { type IdempotentAnswer, idempotencyMismatch } from '../../../platform/postgres/idempotency-records.ts';
import { objectOf } from '../../webhooks/events/append-events.cte.ts';
import type { FanOut } from '../../webhooks/events/fan-out.ts';
import type { PaymentRecord } from './record.ts';
import {
  type ExistingPayment,
  findExistingPayments,
  type InsertedRow,
  insertableTogether,
  insertNewPayments,
  insertPaymentsUnlessRepeated,
  keyOf,
  type NewPayment,
  type PaymentKey,
} from './statements.ts';

/**
 * After a batch with a repeated request: clients that retry do so for some time, and a batch that fails first is
 * written twice.
 */
const batchesAfterRepeat = 50;

/** What a batch results in for one of its payments; only that payment's request sees the refusal. */
export type Outcome = IdempotentAnswer<PaymentRecord> | Refusal;

export interface BatchInserterOptions {
  /** A pool of one connection, for this inserter alone: one batch at a time. */
  writer: Database;
  /** Reads the first answers to repeated requests. */
  database: Database;
  fanOut: FanOut;
  /** Called for each payment that was inserted. */
  onInserted: (payment: NewPayment) => void;
}

/** Inserts batches of payments and finds the first answers to those that were inserted before. */
export class BatchInserter {
  readonly #options: BatchInserterOptions;
  /** So many further batches are inserted by the statement that leaves repeats out. */
  #repeatsExpected = 0;

  constructor(options: BatchInserterOptions) {
    this.#options = options;
  }

  async insert(payments: readonly NewPayment[]): Promise<Outcome[]> {
    const groups = insertableTogether(payments);
    if (groups.length === 1) return this.#insert(payments);
    const outcomes = new Map<NewPayment, Outcome>();
    for (const group of groups) {
      const ofGroup = await this.#insert(group);
      for (const [i, payment] of group.entries()) outcomes.set(payment, ofGroup[i] as Outcome);
    }
    return payments.map((payment) => outcomes.get(payment) as Outcome);
  }

  async #insert(payments: readonly NewPayment[]): Promise<Outcome[]> {
    const inserted = await this.#write(inKeyOrder(payments));
    const { database, fanOut, onInserted } = this.#options;
    for (const { tenant_id, deliveries } of inserted) fanOut.learn(tenant_id, deliveries);
    const ids = insertedIds(inserted);
    const isNew = ({ row }: NewPayment) => ids === undefined || ids.has(row.id);
    for (const payment of payments) if (isNew(payment)) onInserted(payment);
    const repeats = ids === undefined ? [] : payments.filter((payment) => !isNew(payment)).map(keyOf);
    const existing = repeats.length === 0 ? [] : await findExistingPayments(database, repeats);
    return payments.map((payment) =>
      isNew(payment) ? { answer: payment.record, replayed: false } : outcomeOf(keyOf(payment), existing),
    );
  }

  /** Inserts a batch as if it had no repeats. A repeat fails the statement, and the batch is inserted without it. */
  async #write(payments: readonly NewPayment[]): Promise<InsertedRow[]> {
    const { writer } = this.#options;
    if (this.#repeatsExpected > 0) {
      this.#repeatsExpected--;
      return insertPaymentsUnlessRepeated(writer, payments);
    }
    try {
      return await insertNewPayments(writer, payments);
    } catch (error) {
      if (violatedConstraint(error) === undefined) throw error;
      this.#repeatsExpected = batchesAfterRepeat;
      return insertPaymentsUnlessRepeated(writer, payments);
    }
  }
}

/** The payments that a batch inserted; undefined: all. */
function insertedIds(rows: readonly InsertedRow[]): Set<string> | undefined {
  if (rows.some(({ ids }) => ids === null)) return undefined;
  return new Set(rows.flatMap(({ ids }) => ids ?? []));
}

/** Nodes that insert the same keys at the same time must insert them in the same order, or they deadlock. */
function inKeyOrder(payments: readonly NewPayment[]): readonly NewPayment[] {
  if (payments.every(({ idempotencyKey }) => idempotencyKey === null)) return payments;
  return payments.toSorted(({ idempotencyKey: a }, { idempotencyKey: b }) => compare(a ?? '', b ?? ''));
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** The outcome for a payment that was not inserted, because its id or idempotency key was taken. */
export function outcomeOf(
  { id, tenantId, idempotencyKey, requestHash: hash }: PaymentKey,
  existing: readonly ExistingPayment[],
): Outcome {
  const own = existing.find((row) => row.id === id);
  // An earlier try of this batch was committed, and the database's reply was lost.
  if (own !== undefined) return { answer: objectOf(own.event_body) as PaymentRecord, replayed: false };
  const first = existing.find((row) => row.tenant_id === tenantId && row.idempotency_key === idempotencyKey);
  if (first === undefined) throw new Error(`Payment ${id} was neither inserted nor found.`);
  if (hash === null || !first.request_hash?.equals(hash)) return idempotencyMismatch();
  return { answer: objectOf(first.event_body) as PaymentRecord, replayed: true };
}
