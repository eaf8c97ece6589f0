import { hash } from 'node:crypto';
import { Refusal } from '../../core/errors.ts';
import type { Database, Queryable } from './database.ts';
import { statement } from './statement.ts';

/** A request that names itself, so that a repeat of it can be told (decisions, Transactions: Idempotency-Key). */
export interface KeyedRequest {
  tenantId: number;
  path: string;
  key: string;
  /** What makes two requests the same. */
  hash: Buffer;
  nowMs: number;
}

const claim = statement<{ key: string }>(
  'kept_answers.claim',
  `insert into kept_answer (tenant_id, path, key, request_hash, created_at)
   values ($1, $2, $3, $4, to_timestamp($5::float8 / 1000))
   on conflict do nothing returning key`,
);

const keep = statement(
  'kept_answers.keep',
  'update kept_answer set answer = $4 where tenant_id = $1 and path = $2 and key = $3',
);

const find = statement<{ request_hash: Buffer; answer: unknown }>(
  'kept_answers.find',
  'select request_hash, answer from kept_answer where tenant_id = $1 and path = $2 and key = $3',
);

/**
 * Does the work once for a key, in the transaction that keeps its answer: a repeat, also one that comes while the first
 * is under way, gets that answer. What is refused is not kept. Another request under the same key is refused.
 */
export function answerOnce<Answer>(
  database: Database,
  { tenantId, path, key, hash, nowMs }: KeyedRequest,
  work: (transaction: Queryable) => Promise<Answer>,
): Promise<{ answer: Answer; replayed: boolean }> {
  return database.transaction(async (transaction) => {
    const [claimed] = await transaction.run(claim, [tenantId, path, key, hash, nowMs]);
    if (claimed !== undefined) {
      const answer = await work(transaction);
      await transaction.run(keep, [tenantId, path, key, JSON.stringify(answer)]);
      return { answer, replayed: false };
    }
    const [kept] = await transaction.run(find, [tenantId, path, key]);
    if (kept === undefined) throw new Error(`The answer under ${path} was neither claimed nor found.`);
    if (!kept.request_hash.equals(hash)) throw idempotencyMismatch();
    return { answer: kept.answer as Answer, replayed: true };
  });
}

/** What makes two requests with one Idempotency-Key the same request: every field, in whatever order they were sent. */
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

/** Answers are kept for a week; a day is promised. */
const keptForDays = 7;
const rowsAtOnce = 5_000;

const sweep = statement<{ swept: number }>(
  'kept_answers.sweep',
  `with old as (
     select tenant_id, path, key from kept_answer
      where created_at < to_timestamp($1::float8 / 1000) - interval '${keptForDays} days' limit ${rowsAtOnce}
   ), gone as (
     delete from kept_answer using old
      where kept_answer.tenant_id = old.tenant_id and kept_answer.path = old.path and kept_answer.key = old.key
     returning 1
   )
   select count(*) as swept from gone`,
);

/** Removes answers whose time is over. Meant to run every hour or so. */
export async function sweepKeptAnswers(database: Database, nowMs: number): Promise<void> {
  for (;;) {
    const [row] = await database.run(sweep, [nowMs]);
    if ((row?.swept ?? 0) < rowsAtOnce) return;
  }
}
