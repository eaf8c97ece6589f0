import { Refusal } from '../../../core/errors.ts';
import { publicId } from '../../../core/id.ts';
import { encoders } from '../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { deleteInBatches } from '../../../platform/postgres/delete-in-batches.ts';
import { findDeclines, sweepDeclines } from './declines-statements.ts';
import { longestCapMs, periodText, reachedCap } from './network-caps.ts';

interface MethodKey {
  tenantId: number;
  methodId: string;
}

/**
 * The payment methods that their network lets nobody charge now, because they were declined too often, each with the
 * refusal of another charge (`payment_method_attempts_reached`), by the method's id. `nowMs`: in the customers' time.
 */
export async function attemptsReached(
  database: Queryable,
  methods: readonly MethodKey[],
  nowMs: number,
): Promise<Map<string, Refusal>> {
  if (methods.length === 0) return new Map();
  const rows = await database.run(findDeclines, [
    encoders.bigint(methods.map(({ tenantId }) => tenantId)),
    encoders.uuid(methods.map(({ methodId }) => methodId)),
    nowMs - longestCapMs,
  ]);
  return new Map(
    rows.flatMap(({ id, brand, declined }) => {
      const cap = reachedCap(brand, declined, nowMs);
      if (cap === undefined) return [];
      const { declines } = cap;
      const message =
        `The payment method ${publicId('mtd', id)} was declined ${declines} times in ${periodText(cap)}, ` +
        `which is all that ${brand} allows.`;
      const details = { brand, declines, period: periodText(cap) };
      return [[id, new Refusal('payment_method_attempts_reached', message, { field: 'methodId', details })]];
    }),
  );
}

/** Deletes declines that no network counts any more. */
export function sweepOldDeclines(database: Queryable, nowMs: number): Promise<number> {
  return deleteInBatches(database, sweepDeclines, [nowMs - longestCapMs]);
}
