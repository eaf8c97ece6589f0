import type { Refusal } from '../../../core/errors.ts';
import { violatedConstraint } from '../../../platform/postgres/connection/failures.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { idempotencyMismatch } from '../../../platform/postgres/idempotency-records.ts';
import { objectOfBody } from '../../webhooks/events/append-events.cte.ts';
import type { FanOut } from '../../webhooks/events/fan-out.ts';
import {
  type Draft,
  type ExistingPayment,
  findExistingPayments,
  type InsertedRow,
  insertNewPayments,
  insertPaymentsUnlessRepeated,
} from './statements.ts';

/**
 * After a batch with a repeated request: clients that retry do so for some time, and a batch that fails first is
 * written twice.
 */
const batchesAfterRepeat = 50;

/** The answer to a create. */
export interface Created {
  /** The payment, as the JSON of its `transaction.created` event. */
  json: string;
  /** Whether an earlier request with the same idempotency key created the payment. */
  replayed: boolean;
}

/** What a batch results in for one of its payments; only that payment's request sees the refusal. */
export type Outcome = Created | Refusal;

export interface BatchInserterOptions {
  /** A pool of one connection, for this inserter alone: one batch at a time. */
  writer: Database;
  /** Reads the first answers to repeated requests. */
  database: Database;
  fanOut: FanOut;
  /** Called for each payment that was inserted. */
  onInserted: ((draft: Draft) => void) | undefined;
}

/** Inserts batches of payments and finds the first answers to those that were inserted before. */
export class BatchInserter {
  readonly #options: BatchInserterOptions;
  /** So many further batches are inserted by the statement that leaves repeats out. */
  #repeatsExpected = 0;

  constructor(options: BatchInserterOptions) {
    this.#options = options;
  }

  async insert(drafts: readonly Draft[]): Promise<Outcome[]> {
    const inserted = await this.#write(inKeyOrder(drafts));
    const { database, fanOut, onInserted } = this.#options;
    for (const { tenant_id, deliveries } of inserted) fanOut.learn(tenant_id, deliveries);
    const ids = insertedIds(inserted);
    if (ids === undefined) {
      if (onInserted !== undefined) for (const draft of drafts) onInserted(draft);
      return drafts.map(createdFrom);
    }
    if (onInserted !== undefined) for (const draft of drafts) if (ids.has(draft.id)) onInserted(draft);
    const repeats = drafts.filter((draft) => !ids.has(draft.id));
    const existing = repeats.length === 0 ? [] : await findExistingPayments(database, repeats);
    return drafts.map((draft) => (ids.has(draft.id) ? createdFrom(draft) : outcomeOf(draft, existing)));
  }

  /** Inserts a batch as if it had no repeats. A repeat fails the statement, and the batch is inserted without it. */
  async #write(drafts: readonly Draft[]): Promise<InsertedRow[]> {
    const { writer } = this.#options;
    if (this.#repeatsExpected > 0) {
      this.#repeatsExpected--;
      return insertPaymentsUnlessRepeated(writer, drafts);
    }
    try {
      return await insertNewPayments(writer, drafts);
    } catch (error) {
      if (violatedConstraint(error) === undefined) throw error;
      this.#repeatsExpected = batchesAfterRepeat;
      return insertPaymentsUnlessRepeated(writer, drafts);
    }
  }
}

/** The payments that a batch inserted; undefined: all. */
function insertedIds(rows: readonly InsertedRow[]): Set<string> | undefined {
  if (rows.some(({ ids }) => ids === null)) return undefined;
  return new Set(rows.flatMap(({ ids }) => ids ?? []));
}

/** Nodes that insert the same keys at the same time must insert them in the same order, or they deadlock. */
function inKeyOrder(drafts: readonly Draft[]): readonly Draft[] {
  if (drafts.every(({ idempotencyKey }) => idempotencyKey === null)) return drafts;
  return drafts.toSorted(({ idempotencyKey: a }, { idempotencyKey: b }) => compare(a ?? '', b ?? ''));
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** The outcome for a payment that was not inserted, because its id or idempotency key was taken. */
export function outcomeOf(
  {
    id,
    tenantId,
    idempotencyKey,
    requestHash: hash,
  }: Pick<Draft, 'id' | 'tenantId' | 'idempotencyKey' | 'requestHash'>,
  existing: readonly ExistingPayment[],
): Outcome {
  const own = existing.find((row) => row.id === id);
  // An earlier try of this batch was committed, and the database's reply was lost.
  if (own !== undefined) return { json: objectOfBody(own.event_body), replayed: false };
  const first = existing.find((row) => row.tenant_id === tenantId && row.idempotency_key === idempotencyKey);
  if (first === undefined) throw new Error(`Payment ${id} was neither inserted nor found.`);
  if (hash !== null && first.request_hash?.equals(hash))
    return { json: objectOfBody(first.event_body), replayed: true };
  return idempotencyMismatch();
}

export const createdFrom = (draft: Draft): Created => ({ json: objectOfBody(draft.eventBody), replayed: false });
