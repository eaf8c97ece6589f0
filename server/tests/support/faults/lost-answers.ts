import type { Queryable, Transactional } from '../../../src/platform/postgres/database.ts';

/** A database that loses answers. */
export interface LosingDatabase extends Transactional {
  /** For each lost answer, the value of its statement at `valueIndex`. */
  readonly lost: string[];
}

/**
 * A database whose first `count` answers to a statement are lost after it was executed, as after a broken connection or
 * a query timeout. Answers without rows arrive. `valueIndex`: which value of the statement `lost` collects, such as the
 * lease of a claim.
 */
export function losingAnswers(
  database: Transactional,
  name: string,
  count: number,
  valueIndex: number,
): LosingDatabase {
  const lost: string[] = [];
  const losing = (database: Queryable): Queryable => ({
    run: async (statement, values = []) => {
      const rows = await database.run(statement, values);
      if (statement.name === name && rows.length > 0 && lost.length < count) {
        lost.push(String(values[valueIndex]));
        throw new Error('Connection terminated unexpectedly');
      }
      return rows;
    },
  });
  return {
    ...losing(database),
    transaction: (work) =>
      database.transaction((transaction) =>
        work({
          ...losing(transaction),
          copyOut: (text) => transaction.copyOut(text),
          afterCommit: (effect) => transaction.afterCommit(effect),
        }),
      ),
    lost,
  };
}
