import { Refusal, type RefusalFacts, type RefusalType } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { openOperation } from './statements.ts';

/** Operations that a payment can have at its providers: the number in their idempotency key has four digits. */
const maximumOperations = 9_999;

/** How a request is refused whose payment has had as many operations as it can. */
export interface RefusalOfNext extends RefusalFacts {
  type: RefusalType;
  /** What the caller wanted, and can do at the provider instead. */
  wanted: 'cancel' | 'refund' | 'capture';
}

/** Opens a further operation of a locked payment. The values are those of `openOperation`. */
export async function openNext(
  transaction: Queryable,
  values: readonly unknown[],
  refusal: RefusalOfNext,
): Promise<void> {
  const [opened] = await transaction.run(openOperation, values);
  refuseTooMany(opened, refusal);
}

/** Refuses an operation that was just opened, if it is beyond as many as a payment can have. */
export function refuseTooMany(opened: { number: number } | undefined, { type, wanted, ...facts }: RefusalOfNext): void {
  if (opened === undefined || opened.number <= maximumOperations) return;
  throw new Refusal(type, rule(`too_many_before_${wanted}`, { limit: maximumOperations }), facts);
}
