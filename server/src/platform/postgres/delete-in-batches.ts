import type { Queryable } from './database.ts';
import type { Statement } from './statement.ts';

/** Few enough rows that no statement holds its locks for long. */
const defaultBatchRows = 5_000;

/**
 * Repeats a statement that deletes a limited number of rows until it finds no more, and returns the number of deleted
 * rows. The statement takes the limit as its last value and returns the rows that it deleted.
 */
export async function deleteInBatches(
  database: Queryable,
  statement: Statement<unknown>,
  values: readonly unknown[],
  batchRows = defaultBatchRows,
): Promise<number> {
  let deleted = 0;
  for (;;) {
    const { length } = await database.run(statement, [...values, batchRows]);
    deleted += length;
    if (length < batchRows) return deleted;
  }
}
