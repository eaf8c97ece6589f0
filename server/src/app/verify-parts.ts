import { availableParallelism } from 'node:os';
import { type Database, exportSnapshot, type Snapshot } from '../platform/postgres/database.ts';
import { statement } from '../platform/postgres/statement.ts';

/** A part of a check, which may run beside others. */
export interface Part {
  /** Begins before the others, because it takes as long as many of them together. */
  isLong?: boolean;
  /** Returns its reports, which are made in the order of the parts. */
  work: (snapshot: Snapshot) => Promise<(() => void)[]>;
}

export type Beside = Pick<Database, 'joinSnapshot' | 'connections'>;

const mostConnections = 4;

/**
 * One for each processor, because claims are checked by PostgreSQL as fast as a processor can; two at least, because
 * one claim is checked by this process. The database may have fewer to spare than this machine: four at most.
 */
export const checkingConnections = (): number => Math.min(mostConnections, Math.max(2, availableParallelism()));

/**
 * Joins of whole tables fit into the memory that PostgreSQL gives a query instead of being written to disk, up to some
 * millions of payments. The parts share the processors: none takes several.
 */
const useMemory = statement(
  'verify.use_memory',
  `select set_config('work_mem', greatest(pg_size_bytes(current_setting('work_mem')) / 1024, 65536)::text, true),
          set_config('max_parallel_workers_per_gather', '0', true)`,
);

/**
 * Runs all parts on one snapshot of the database: one after the other, or over the connections of `beside` at the same
 * time. Each connection takes the next part when it is done with one, and commits when none is left.
 */
export async function runParts(
  parts: readonly Part[],
  database: Pick<Database, 'snapshot'>,
  beside: Beside | undefined,
): Promise<void> {
  const queue = [...parts.keys()].toSorted(
    (a, b) => Number(parts[b]?.isLong ?? false) - Number(parts[a]?.isLong ?? false),
  );
  const reports = parts.map((): (() => void)[] | undefined => undefined);
  let reported = 0;
  const takeParts = async (snapshot: Snapshot) => {
    if (beside !== undefined) await snapshot.run(useMemory);
    try {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        reports[next] = await (parts[next] as Part).work(snapshot);
        for (let ready = reports[reported]; ready !== undefined; ready = reports[++reported]) {
          for (const report of ready) report();
        }
      }
    } catch (error) {
      // The others end after their present part.
      queue.length = 0;
      throw error;
    }
  };
  const others: Promise<PromiseSettledResult<unknown>>[] = [];
  const own = database.snapshot(async (snapshot) => {
    if (beside !== undefined) {
      const exported = await exportSnapshot(snapshot);
      for (let i = 1; i < beside.connections; i++) others.push(settled(beside.joinSnapshot(exported, takeParts)));
    }
    await takeParts(snapshot);
  });
  const [first] = await Promise.allSettled([own]);
  const failed = [first, ...(await Promise.all(others))].find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** A rejection that is handled later must have a handler now. */
async function settled<Value>(work: Promise<Value>): Promise<PromiseSettledResult<Value>> {
  const [result] = await Promise.allSettled([work]);
  return result;
}
