import type { Queryable } from '../../../platform/postgres/database.ts';
import { beginMany, type RefundOfOperation, refundKeyColumns } from './statements.ts';

/**
 * Moves PENDING refunds to PROCESSING, before their provider is called. Refunds in another status are left as they are.
 */
export async function beginRefunds(
  database: Queryable,
  operations: readonly RefundOfOperation[],
  nowMs: number,
): Promise<void> {
  await database.run(beginMany, [...refundKeyColumns.parametersOf(operations), nowMs]);
}
