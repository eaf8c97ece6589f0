import { type AuditHead, auditHeads, disagreementWith, headText } from '../domains/identity/audit/heads.ts';
import type { Keyring } from '../platform/crypto/keyring.ts';
import { Sealer } from '../platform/crypto/seal.ts';
import type { CheckKeys, KeyedCheck } from '../platform/keyed-check.ts';
import { type Check, type Finding, offendersOf } from '../platform/postgres/check.ts';
import type { Database } from '../platform/postgres/database.ts';
import { modules } from './modules.ts';
import { placesCheck } from './sealed-values-check.ts';

/** The integrity checks of all modules. */
export const checks: readonly Check[] = modules.flatMap(({ integrity = [] }) => integrity);

/** The checks that take a key. */
export const keyedChecks: readonly KeyedCheck[] = [
  ...modules.flatMap(({ keyedIntegrity = [] }) => keyedIntegrity),
  placesCheck,
];

/** What all modules want a person to look at. */
export const findings: readonly Finding[] = modules.flatMap(({ findings = [] }) => findings);

const maximumOffenders = 10;

export interface ClaimResult {
  claim: string;
  /** Rows that break the claim: none when it holds, else up to ten. */
  offenders: string[];
  /** There are more offenders than listed. */
  hasMore: boolean;
  /** What was checked, of a check that takes a key. */
  note?: string;
  /** Why it cannot be said whether the claim holds; no offender was found. */
  notCheckable?: string;
}

export interface FindingResult {
  finding: string;
  /** At least one, up to ten. */
  found: string[];
  /** There are more than listed. */
  hasMore: boolean;
}

export interface VerifyOptions {
  /** The encryption keys; without them the checks that take a key cannot be made. */
  keys?: Keyring | undefined;
  /** Entries of audit logs that were noted before. */
  noted?: readonly AuditHead[];
  /** Called for each finding that has something to name, after the claims. */
  onFinding?: (result: FindingResult) => void;
  /** Called for the last entry of each audit log, after the claims. */
  onHead?: (head: AuditHead) => void;
}

/**
 * Checks every claim, and that the audit logs agree with the noted heads, on one snapshot of the database, without
 * blocking writers. Calls `report` after each check and returns the number of broken claims.
 */
export function verify(
  database: Pick<Database, 'snapshot'>,
  report: (result: ClaimResult) => void,
  { keys, noted = [], onFinding = () => {}, onHead = () => {} }: VerifyOptions = {},
): Promise<number> {
  return database.snapshot(async (snapshot) => {
    let broken = 0;
    const conclude = (claim: string, offenders: readonly string[], note?: string) => {
      if (offenders.length > 0) broken++;
      report({ claim, ...listed(offenders), ...(note !== undefined && { note }) });
    };
    for (const check of checks) conclude(check.claim, await offendersOf(snapshot, check, maximumOffenders + 1));
    for (const { claim, check } of keyedChecks) {
      const result = keys && (await check(snapshot, checkKeysOf(keys), maximumOffenders + 1));
      if (result === undefined || (result.offenders.length === 0 && result.unchecked > 0)) {
        const notCheckable =
          result === undefined
            ? 'the encryption keys are not here'
            : `${result.unchecked} of them need a key that is lost`;
        report({ claim, offenders: [], hasMore: false, notCheckable });
      } else conclude(claim, result.offenders, result.note);
    }
    for (const head of noted) {
      const disagreement = await disagreementWith(snapshot, head);
      conclude(
        `The audit log agrees with the head ${headText(head)}`,
        disagreement === undefined ? [] : [disagreement],
      );
    }
    for (const finding of findings) {
      const { offenders, hasMore } = listed(await offendersOf(snapshot, finding, maximumOffenders + 1));
      if (offenders.length > 0) onFinding({ finding: finding.finding, found: offenders, hasMore });
    }
    for (const head of await auditHeads(snapshot)) onHead(head);
    return broken;
  });
}

function listed(offenders: readonly string[]): Pick<ClaimResult, 'offenders' | 'hasMore'> {
  return { offenders: offenders.slice(0, maximumOffenders), hasMore: offenders.length > maximumOffenders };
}

export function checkKeysOf(keys: Keyring): CheckKeys {
  const sealer = new Sealer(keys);
  return { open: (sealed, place) => sealer.open(sealed, place), has: (sealed) => sealer.has(sealed) };
}
