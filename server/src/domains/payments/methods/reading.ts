import { hourMs } from '../../../core/clock.ts';
import { Worker } from '../../../platform/jobs/worker.ts';
import type { MethodNotices } from './notices.ts';
import { claimReadings, postponeReading, readingDue, readingsDue } from './reading-statements.ts';
import type { MethodRow } from './record.ts';
import { nextReadMs } from './rules.ts';
import type { MethodWorkerDeps } from './worker.ts';

const maximumInFlight = 10;
/** After a reading that found out nothing. */
const retryMs = hourMs;

/**
 * Reads payment methods whose providers send no events about them, once a day, and methods that may have ended before
 * anything was known of them. A method that was claimed is due again an hour later, also if the process dies; that it
 * is read twice does no harm.
 */
export function readingWorker(deps: MethodWorkerDeps, notices: Pick<MethodNotices, 'readOne'>): Worker<MethodRow> {
  const { database, clock, onError, onRecovered } = deps;
  return new Worker<MethodRow>({
    name: 'method readings',
    dueWork: { topic: readingsDue, due: readingDue },
    claim: (room) => database.run(claimReadings, [clock(), room, clock() + retryMs]),
    perform: async (row) => {
      if ((await notices.readOne(row)) !== 'settled') return;
      await database.run(postponeReading, [row.tenant_id, row.id, nextReadMs(row, clock())]);
    },
    slots: maximumInFlight,
    onError,
    onRecovered,
  });
}
