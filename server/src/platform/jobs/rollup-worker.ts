import type { Database } from '../postgres/database.ts';
import type { Topic } from '../postgres/statement.ts';
import type { Rollup } from './rollup-statements.ts';
import { type FailureReports, Worker } from './worker.ts';

const rollupEveryMs = 1_000;
/** For the changes of other nodes, and of a process that died before it rolled them up. */
const idleRollupEveryMs = 15_000;

/** Runs all rollups when payments were written, at most once a second, and every 15 s otherwise. */
export function rollupWorker(
  database: Database,
  rollups: readonly Rollup[],
  { wakesOn, onError, onRecovered }: FailureReports & { wakesOn: Topic },
): Worker<never> {
  return new Worker<never>({
    name: 'rollups',
    wakesOn,
    /** One after the other, on one connection. A rollup that fails does not affect the others. */
    claim: async () => {
      const errors: unknown[] = [];
      for (const rollUp of rollups) await rollUp(database).catch((error) => errors.push(error));
      if (errors.length > 1) throw new Error(errors.map(String).join('; '), { cause: errors[0] });
      if (errors.length > 0) throw errors[0];
      return [];
    },
    slots: 1,
    gapMs: rollupEveryMs,
    pollMs: () => idleRollupEveryMs,
    onError,
    onRecovered,
  });
}
