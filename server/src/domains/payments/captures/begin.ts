import type { Queryable } from '../../../platform/postgres/database.ts';
import { beginMany, type CaptureOfOperation, captureKeyColumns } from './statements.ts';

/**
 * Moves PENDING captures to PROCESSING, before their provider is called. Captures in another status are left as they
 * are.
 */
export async function beginCaptures(
  database: Queryable,
  operations: readonly CaptureOfOperation[],
  nowMs: number,
): Promise<void> {
  await database.run(beginMany, [...captureKeyColumns.parametersOf(operations), nowMs]);
}
