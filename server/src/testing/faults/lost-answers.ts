import type { Queryable } from '../../platform/postgres/database.ts';

/** A database and the answers of it that were lost. */
export interface LosingQueryable extends Queryable {
  readonly lost: string[];
}

/**
 * A database whose first answers to a statement are lost after it was executed, as after a broken connection or a query
 * timeout. Answers without rows arrive. `lost` collects the value at `place`: the lease of a claim.
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
