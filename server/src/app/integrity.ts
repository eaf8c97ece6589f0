import type { AnyModule } from '../platform/module.ts';
import { type Check, offendersOf } from '../platform/postgres/check.ts';
import type { Database } from '../platform/postgres/database.ts';
import { modules } from './modules.ts';

/** Everything that must be true of the whole database, as its modules declare it. */
export const checks: readonly Check[] = (modules as readonly AnyModule[]).flatMap(({ integrity = [] }) => integrity);

/** Offenders named at most. */
const named = 10;

export interface Finding {
  claim: string;
  /** Who breaks the claim: none when it holds, else up to ten. */
  offenders: string[];
  /** There are more than these. */
  more: boolean;
}

/**
 * Holds every claim against the database, as it is at one moment: what is written meanwhile neither waits nor is seen. Each
 * finding is told as soon as it is there. Gives back how many claims are broken.
 */
export function verify(database: Database, tell: (finding: Finding) => void): Promise<number> {
  return database.snapshot(async (moment) => {
    let broken = 0;
    for (const check of checks) {
      const offenders = await offendersOf(moment, check, named + 1);
      if (offenders.length > 0) broken++;
      tell({ claim: check.claim, offenders: offenders.slice(0, named), more: offenders.length > named });
    }
    return broken;
  });
}
