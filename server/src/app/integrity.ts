import { type AuditHead, auditHeads, disagreementWith, headText } from '../domains/identity/audit/heads.ts';
import type { AnyModule } from '../platform/module.ts';
import { type Check, offendersOf } from '../platform/postgres/check.ts';
import type { Database } from '../platform/postgres/database.ts';
import { modules } from './modules.ts';

/** The integrity checks of all modules. */
export const checks: readonly Check[] = (modules as readonly AnyModule[]).flatMap(({ integrity = [] }) => integrity);

const maximumOffenders = 10;

export interface ClaimResult {
  claim: string;
  /** Rows that break the claim: none when it holds, else up to ten. */
  offenders: string[];
  /** There are more offenders than listed. */
  hasMore: boolean;
}

export interface AuditHeads {
  /** Entries of audit logs that were noted before. */
  noted?: readonly AuditHead[];
  /** Called for the last entry of each audit log, after the claims. */
  onHead?: (head: AuditHead) => void;
}

/**
 * Checks every claim, and that the audit logs agree with the noted heads, on one snapshot of the database, without blocking
 * writers. Calls `report` after each check and returns the number of broken claims.
 */
export function verify(
  database: Database,
  report: (result: ClaimResult) => void,
  { noted = [], onHead = () => {} }: AuditHeads = {},
): Promise<number> {
  return database.snapshot(async (snapshot) => {
    let broken = 0;
    const conclude = (claim: string, offenders: readonly string[]) => {
      if (offenders.length > 0) broken++;
      const hasMore = offenders.length > maximumOffenders;
      report({ claim, offenders: offenders.slice(0, maximumOffenders), hasMore });
    };
    for (const check of checks) conclude(check.claim, await offendersOf(snapshot, check, maximumOffenders + 1));
    for (const head of noted) {
      const disagreement = await disagreementWith(snapshot, head);
      conclude(
        `The audit log agrees with the head ${headText(head)}`,
        disagreement === undefined ? [] : [disagreement],
      );
    }
    for (const head of await auditHeads(snapshot)) onHead(head);
    return broken;
  });
}
