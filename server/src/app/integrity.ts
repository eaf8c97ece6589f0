import type { AnyModule } from '../platform/module.ts';
import { type Check, offendersOf } from '../platform/postgres/check.ts';
import type { Database } from '../platform/postgres/database.ts';
import { modules } from './modules.ts';

/** The integrity checks of all modules. */
export const checks: readonly Check[] = (modules as readonly AnyModule[]).flatMap(({ integrity = [] }) => integrity);

const maximumOffenders = 10;

export interface Finding {
  claim: string;
  /** Rows that break the claim: none when it holds, else up to ten. */
  offenders: string[];
  /** There are more offenders than listed. */
  hasMore: boolean;
}

/**
 * Checks every claim on one snapshot of the database, without blocking writers. Calls `report` after each check and returns
 * the number of broken claims.
 */
export function verify(database: Database, report: (finding: Finding) => void): Promise<number> {
  return database.snapshot(async (moment) => {
    let broken = 0;
    for (const check of checks) {
      const offenders = await offendersOf(moment, check, maximumOffenders + 1);
      if (offenders.length > 0) broken++;
      report({
        claim: check.claim,
        offenders: offenders.slice(0, maximumOffenders),
        hasMore: offenders.length > maximumOffenders,
      });
    }
    return broken;
  });
}
