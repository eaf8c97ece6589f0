import { hash } from 'node:crypto';
import { Refusal } from '../../core/errors.ts';
import type { Database, Transaction } from './database.ts';
import { deleteInBatches } from './delete-in-batches.ts';
import { statement } from './statement.ts';

/** A request that may carry an Idempotency-Key (docs/decisions/payments-and-repeats.md). */
export interface IdempotentRequest {
  tenantId: number;
  /** The path of the route: the same key on another route is another request. */
  path: string;
  /** Undefined: the client sent no Idempotency-Key. */
  key: string | undefined;
  /** The body, which is the same in a repeat. Without secrets: a password could be guessed from its hash. */
  input: object;
  nowMs: number;
}

/** The answer of the first request, and whether this request only repeated it. */
export interface IdempotentAnswer<Answer> {
  answer: Answer;
  replayed: boolean;
}

/**
 * Runs `work` in a transaction, once per Idempotency-Key. The answer is stored in the same transaction, so that a
 * repeat returns it, even one that arrives while the first is still running. Refusals are not stored: a repeat runs
 * again. A request without a key always runs.
 *
 * @throws Refusal `idempotency_mismatch` when the key was used with another body.
 */
export async function answerOnce<Answer>(
  database: Database,
  { tenantId, path, key, input, nowMs }: IdempotentRequest,
  work: (transaction: Transaction) => Promise<Answer>,
): Promise<IdempotentAnswer<Answer>> {
  if (key === undefined) return { answer: await database.transaction(work), replayed: false };
  const hash = requestHash(input);
  return database.transaction(async (transaction) => {
    const [claimed] = await transaction.run(claimKey, [tenantId, path, key, hash, nowMs]);
    if (claimed !== undefined) {
      const answer = await work(transaction);
      await transaction.run(storeAnswer, [tenantId, path, key, JSON.stringify(answer)]);
      return { answer, replayed: false };
    }
    const [record] = await transaction.run(findRecord, [tenantId, path, key]);
    if (record === undefined) throw new Error(`The idempotency record under ${path} was neither claimed nor found.`);
    if (!record.request_hash.equals(hash)) throw idempotencyMismatch();
    return { answer: record.answer as Answer, replayed: true };
  });
}

/** Runs the work of one request as `answerOnce` does. */
export type Once = <Answer>(work: (transaction: Transaction) => Promise<Answer>) => Promise<IdempotentAnswer<Answer>>;

export function onceFor(database: Database, request: IdempotentRequest): Once {
  return (work) => answerOnce(database, request, work);
}

const claimKey = statement<{ key: string }>(
  'idempotency_records.claim',
  `insert into idempotency_record (tenant_id, path, key, request_hash, created_at)
   values ($1, $2, $3, $4, to_timestamp($5::float8 / 1000))
   on conflict do nothing returning key`,
);

const storeAnswer = statement(
  'idempotency_records.store',
  'update idempotency_record set answer = $4 where tenant_id = $1 and path = $2 and key = $3',
);

const findRecord = statement<{ request_hash: Buffer; answer: unknown }>(
  'idempotency_records.find',
  'select request_hash, answer from idempotency_record where tenant_id = $1 and path = $2 and key = $3',
);

/** Identifies a body by all its fields, independent of their order. */
export function requestHash(input: object): Buffer {
  return hash('sha256', canonicalJson(input), 'buffer');
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

export function idempotencyMismatch(): Refusal {
  return new Refusal('idempotency_mismatch', 'This Idempotency-Key was used before, with another body.', {
    field: 'Idempotency-Key',
  });
}

/** The interface promises at least a day. */
const retentionDays = 7;

/** Deletes idempotency records that are older than a week. */
export function sweepIdempotencyRecords(database: Database, nowMs: number): Promise<number> {
  return deleteInBatches(database, deleteExpired, [nowMs]);
}

const deleteExpired = statement<unknown>(
  'idempotency_records.delete_expired',
  `with expired as (
     select tenant_id, path, key from idempotency_record
      where created_at < to_timestamp($1::float8 / 1000) - interval '${retentionDays} days' limit $2
   )
   delete from idempotency_record using expired
    where idempotency_record.tenant_id = expired.tenant_id and idempotency_record.path = expired.path
        and idempotency_record.key = expired.key
   returning 1`,
);
