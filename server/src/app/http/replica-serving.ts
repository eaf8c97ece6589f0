import type { Call, Route } from '../../platform/http/route.ts';
import type { Serving } from '../../platform/http/server/add-route.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Context } from '../assemble.ts';

/** Lists, exports, statistics and files of finance: reads on which no change depends. */
const readPaths = /\/(list|export|entries|summary|series)$|^\/api\/finance\//;

/** A key asks for the replica by this request header, and an answer from the replica has it. */
const header = 'x-read-from';

export function mayReadReplica({ method, path }: Pick<Route<never>, 'method' | 'path'>): boolean {
  return method === 'GET' && readPaths.test(path);
}

/**
 * Serves reads with a context whose lists and snapshots come from the replica: those of sessions, and those of keys
 * that ask for it. Undefined without a replica.
 */
export function replicaServing(
  context: Context,
): ((call: Pick<Call, 'principal' | 'headers'>) => Serving<Context> | undefined) | undefined {
  const { replica } = context;
  if (replica === undefined) return undefined;
  return ({ principal, headers }) => {
    if (principal.by === 'key' && headers[header] !== 'replica') return undefined;
    const reads = replica.reads();
    const { database: primary } = context;
    const database = {
      macOf: primary.macOf,
      run: (statement, values) => primary.run(statement, values),
      transaction: (work) => primary.transaction(work),
      snapshot: (work) => reads.snapshot(work),
    } satisfies Pick<Database, 'macOf' | 'run' | 'transaction' | 'snapshot'> as unknown as Database;
    return {
      app: { ...context, listDatabase: reads, database } as Context,
      headers: () => (reads.isUsed ? { [header]: 'replica' } : {}),
    };
  };
}
