import type { Queryable } from '../platform/postgres/database.ts';

/** A database, and how many answers were lost on the way from it. */
export interface LosingQueryable extends Queryable {
  readonly lost: string[];
}

/**
 * A database whose first answers to a statement never arrive, although it has been executed: what a broken connection or a
 * query timeout leaves behind. Answers without rows arrive. `lost` collects the value at `place`: the lease of a claim.
 */
export function losingAnswers(database: Queryable, name: string, count: number, place: number): LosingQueryable {
  const lost: string[] = [];
  return {
    lost,
    run: async (statement, values = []) => {
      const rows = await database.run(statement, values);
      if (statement.name === name && rows.length > 0 && lost.length < count) {
        lost.push(String(values[place]));
        throw new Error('Connection terminated unexpectedly');
      }
      return rows;
    },
  };
}
