import { type ClaimResult, verify } from '../../src/app/integrity.ts';
import type { Database } from '../../src/platform/postgres/database.ts';

/** The claims of `npm run verify` that a database breaks, each with its offenders. Checked as it does, side by side. */
export async function brokenClaims(database: Database): Promise<string[]> {
  const broken: string[] = [];
  const report = ({ claim, offenders }: ClaimResult) => {
    if (offenders.length > 0) broken.push(`${claim}: ${offenders.join(', ')}`);
  };
  await verify(database, report, { beside: database });
  return broken;
}
