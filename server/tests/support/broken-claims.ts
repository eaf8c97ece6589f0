import { verify } from '../../src/app/integrity.ts';
import type { Database } from '../../src/platform/postgres/database.ts';

/** The claims of `npm run verify` that a database breaks, each with its offenders. */
export async function brokenClaims(database: Database): Promise<string[]> {
  const broken: string[] = [];
  await verify(database, ({ claim, offenders }) => {
    if (offenders.length > 0) broken.push(`${claim}: ${offenders.join(', ')}`);
  });
  return broken;
}
