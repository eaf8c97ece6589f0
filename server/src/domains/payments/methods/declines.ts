import { Refusal } from '../../../core/errors.ts';
import { publicId } from '../../../core/id.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { encoders, textArray } from '../../../platform/postgres/array-literal.ts';
import type { Queryable, Transaction } from '../../../platform/postgres/database.ts';
import { deleteInBatches } from '../../../platform/postgres/delete-in-batches.ts';
import { type AttemptsOfMethod, findAttempts, lockAttempts, sweepDeclines } from './declines-statements.ts';
import { attemptsLeft, cappedBrands, longestCapMs, type NetworkCap, periodText } from './network-caps.ts';

interface MethodKey {
  tenantId: number;
  methodId: string;
}

/** How often a payment method may still be charged, and the refusal of what is more. */
export interface AttemptsLeft {
  left: number;
  /** `payment_method_attempts_reached` */
  refusal: Refusal;
}

/**
 * How many further charges the networks of payment methods allow, by the method's id; methods without a cap are left
 * out. Each charge under way may still be declined, so it counts. The transaction serializes further decisions until it
 * ends, so that its own charges are counted as well. `nowMs`: in the customers' time.
 */
export async function lockedAttemptsLeft(
  transaction: Transaction,
  methods: readonly MethodKey[],
  nowMs: number,
): Promise<Map<string, AttemptsLeft>> {
  if (methods.length === 0) return new Map();
  await transaction.run(lockAttempts, keysOf(methods));
  return readAttemptsLeft(transaction, methods, nowMs);
}

/** The same without locks: charges that begin meanwhile are not counted. */
export async function readAttemptsLeft(
  database: Queryable,
  methods: readonly MethodKey[],
  nowMs: number,
): Promise<Map<string, AttemptsLeft>> {
  const values = [...keysOf(methods), nowMs - longestCapMs, textArray(cappedBrands)];
  const rows = await database.run(findAttempts, values);
  return new Map(
    rows.flatMap((row) => {
      const attempts = { declinedMs: row.declined, underWay: row.under_way };
      const found = attemptsLeft(row.brand, attempts, nowMs);
      return found === undefined ? [] : [[row.id, { left: found.left, refusal: attemptsReached(row, found.cap) }]];
    }),
  );
}

/** Refuses another charge of a payment method, in the transaction that creates its payment. */
export async function requireAttemptLeft(transaction: Transaction, method: MethodKey, nowMs: number): Promise<void> {
  const attempts = (await lockedAttemptsLeft(transaction, [method], nowMs)).get(method.methodId);
  if (attempts?.left === 0) throw attempts.refusal;
}

const keysOf = (methods: readonly MethodKey[]) => [
  encoders.bigint(methods.map(({ tenantId }) => tenantId)),
  encoders.uuid(methods.map(({ methodId }) => methodId)),
];

function attemptsReached({ id, brand, under_way: underWay }: AttemptsOfMethod, cap: NetworkCap): Refusal {
  const { declines } = cap;
  const values = { brand: String(brand), declines, period: periodText(cap), methodId: publicId('mtd', id) };
  const broken = rule(underWay === 0 ? 'method_declined_too_often' : 'method_may_be_declined_too_often', values);
  return new Refusal('payment_method_attempts_reached', broken, { field: 'methodId' });
}

/** Deletes declines that no network counts any more. */
export function sweepOldDeclines(database: Queryable, nowMs: number): Promise<number> {
  return deleteInBatches(database, sweepDeclines, [nowMs - longestCapMs]);
}
