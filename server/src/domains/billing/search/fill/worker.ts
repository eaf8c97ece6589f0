import { leastUuidAt } from '../../../../core/id.ts';
import type { BackgroundWorker } from '../../../../platform/jobs/background-worker.ts';
import { type FailureReports, Worker } from '../../../../platform/jobs/worker.ts';
import { type FillDeps, fillEntries } from './fill.ts';
import { lowerProgress } from './progress-statements.ts';

/**
 * Time in ms that it works in each second: 6 % of a core, whatever is written. Above what that suffices for, entries
 * follow when the load is over.
 */
const workMs = 60;
const workEveryMs = 1_000;
/** With the two seconds after which events are read, entries follow their records within five. */
const pollMs = 2_000;

/** Fills the entries of the search, on one node at a time for each tenant. */
export function searchFiller(deps: FillDeps & FailureReports): BackgroundWorker {
  let left: number[] = [];
  const worker = new Worker<never>({
    name: 'search entries',
    /** Each tenant's slice is a transaction, which locks its progress. */
    claim: async () => {
      left = await fillEntries(deps, workMs, left);
      return [];
    },
    slots: 1,
    gapMs: workEveryMs,
    pollMs: () => (left.length > 0 ? workEveryMs : pollMs),
    ...deps,
  });
  return {
    ...{ name: worker.name, start: worker.start, stop: worker.stop },
    clockWasSetBack: async () => {
      await deps.database.run(lowerProgress, [leastUuidAt(deps.clock())]);
    },
  };
}
