import { type AuditHead, auditHeads, disagreementWith, headText } from '../domains/identity/audit/heads.ts';
import type { Keyring } from '../platform/crypto/keyring.ts';
import { Sealer } from '../platform/crypto/seal.ts';
import type { CheckKeys, KeyedCheck } from '../platform/keyed-check.ts';
import { type Check, type Finding, offendersOf, offendersOfEach } from '../platform/postgres/check.ts';
import type { Database } from '../platform/postgres/database.ts';
import { modules } from './modules.ts';
import { placesCheck } from './sealed-values-check.ts';
import { type Beside, type Part, runParts } from './verify-parts.ts';

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
  /** Reads the same snapshot over further connections, so that several claims are checked at the same time. */
  beside?: Beside;
  /** Called for each finding that has something to name, after the claims. */
  onFinding?: (result: FindingResult) => void;
  /** Called for the last entry of each audit log, after the claims. */
  onHead?: (head: AuditHead) => void;
}

/**
 * Checks every claim, and that the audit logs agree with the noted heads, on one snapshot of the database, without
 * blocking writers. Calls `report` for each claim, in their order, and returns the number of broken claims.
 */
export async function verify(
  database: Pick<Database, 'snapshot'>,
  report: (result: ClaimResult) => void,
  { keys, noted = [], beside, onFinding = () => {}, onHead = () => {} }: VerifyOptions = {},
): Promise<number> {
  let broken = 0;
  const conclude = (claim: string, offenders: readonly string[], note?: string) => {
    if (offenders.length > 0) broken++;
    report({ claim, ...listed(offenders), ...(note !== undefined && { note }) });
  };
  const parts: Part[] = [
    ...partsOfChecks(conclude),
    ...keyedChecks.map((check): Part => {
      const isLong = true;
      if (keys === undefined) {
        const notCheckable = 'the encryption keys are not here';
        return {
          work: async () => [() => report({ claim: check.claim, offenders: [], hasMore: false, notCheckable })],
        };
      }
      return {
        isLong,
        work: async (snapshot) => {
          const { offenders, note, unchecked } = await check.check(snapshot, checkKeysOf(keys), maximumOffenders + 1);
          const notCheckable = `${unchecked} of them need a key that is lost`;
          if (offenders.length > 0 || unchecked === 0) return [() => conclude(check.claim, offenders, note)];
          return [() => report({ claim: check.claim, offenders: [], hasMore: false, notCheckable })];
        },
      };
    }),
    ...noted.map(
      (head): Part => ({
        work: async (snapshot) => {
          const disagreement = await disagreementWith(snapshot, head);
          const offenders = disagreement === undefined ? [] : [disagreement];
          return [() => conclude(`The audit log agrees with the head ${headText(head)}`, offenders)];
        },
      }),
    ),
    ...findings.map(
      (finding): Part => ({
        work: async (snapshot) => {
          const { offenders, hasMore } = listed(await offendersOf(snapshot, finding, maximumOffenders + 1));
          if (offenders.length === 0) return [];
          return [() => onFinding({ finding: finding.finding, found: offenders, hasMore })];
        },
      }),
    ),
    {
      work: async (snapshot) => {
        const heads = await auditHeads(snapshot);
        return [() => heads.forEach(onHead)];
      },
    },
  ];
  await runParts(parts, database, beside);
  return broken;
}
/** A part for each claim, and one for those that share what they read; these follow each other. */
function partsOfChecks(conclude: (claim: string, offenders: readonly string[]) => void): Part[] {
  const groups: Check[][] = [];
  for (const check of checks) {
    const last = groups.at(-1);
    if (last !== undefined && check.with !== undefined && last[0]?.with === check.with) last.push(check);
    else groups.push([check]);
  }
  return groups.map((group) => ({
    isLong: group.length > 1,
    work: async (snapshot) => {
      const offenders = await offendersOfEach(snapshot, group, maximumOffenders + 1);
      return group.map(
        ({ claim }, i) =>
          () =>
            conclude(claim, offenders[i] as string[]),
      );
    },
  }));
}

function listed(offenders: readonly string[]): Pick<ClaimResult, 'offenders' | 'hasMore'> {
  return { offenders: offenders.slice(0, maximumOffenders), hasMore: offenders.length > maximumOffenders };
}

export function checkKeysOf(keys: Keyring): CheckKeys {
  const sealer = new Sealer(keys);
  return { open: (sealed, place) => sealer.open(sealed, place), has: (sealed) => sealer.has(sealed) };
}
