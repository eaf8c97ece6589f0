import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { migrate } from '../../src/platform/postgres/migrate.ts';
import { brokenClaims } from '../support/broken-claims.ts';
import { administratorOf } from '../support/factories.ts';
import { administerDatabase, databaseFromTemplate } from '../support/postgres/database.ts';
import { migrateUpTo } from '../support/postgres/migrate-up-to.ts';
import { florinOn } from '../support/service/florin.ts';
import { environment } from './fixture/environment.ts';
import { readBack } from './fixture/read-back.ts';

const fixture = (name: string) => readFileSync(new URL(`./fixture/${name}`, import.meta.url), 'utf8');
/**
 * `release-0001.sql` has rows for every table of the schema after migration 0001, and the `.json` the answers read from
 * them.
 */
const releases = readdirSync(new URL('./fixture', import.meta.url)).flatMap(
  (file) => /^release-(\d+)\.sql$/.exec(file)?.[1] ?? [],
);

test.each(releases)(
  'a database of release %s is migrated: nothing is broken, and everything reads as before',
  async (release) => {
    const db = await databaseFromTemplate('template0');
    try {
      await migrateUpTo(db, release);
      await administerDatabase(
        db,
        `begin; set local session_replication_role = replica;\n${fixture(`release-${release}.sql`)}commit`,
      );
      await migrate(db.connection, () => {});

      expect(await brokenClaims(db.database)).toEqual([]);

      const { recordedAtMs, answers } = JSON.parse(fixture(`release-${release}.json`));
      // Its figures are those of the series by channel, which does not depend on the mode.
      delete answers['/api/statistics/summary'];
      withoutHasPaymentMethod(answers);
      // Without workers, which would do the work that was due.
      const florin = await florinOn(db, { ...environment, APP_ROLE: 'api' }, () => recordedAtMs);
      try {
        // Fields may have been added, none removed or changed.
        const read = await readBack(florin, await administratorOf(florin));
        expect(withoutNewAccounts(read)).toMatchObject(withUpdatedTimes(answers));
      } finally {
        await florin.stop();
      }
    } finally {
      await db.drop();
    }
  },
);

const newAccounts = new Set(['DISPUTED', 'UNAPPLIED']);

/** Without the balances of accounts that the release did not have. */
function withoutNewAccounts<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.filter((one) => !newAccounts.has(one?.account)).map(withoutNewAccounts) as Part;
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, withoutNewAccounts(inner)])) as Part;
}

/** Customers told whether a token was stored; tokens are payment methods now. */
function withoutHasPaymentMethod(part: unknown): void {
  if (typeof part !== 'object' || part === null) return;
  if ('hasPaymentMethod' in part) delete part.hasPaymentMethod;
  for (const inner of Object.values(part)) withoutHasPaymentMethod(inner);
}

/**
 * Records that were never updated used to have no `updatedTime`; it now equals their `createdTime`. Keys still have
 * none.
 */
function withUpdatedTimes<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(withUpdatedTimes) as Part;
  if (typeof part !== 'object' || part === null) return part;
  const copy = Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, withUpdatedTimes(inner)]));
  if (copy.updatedTime === null && !('skMasked' in copy)) copy.updatedTime = copy.createdTime;
  return copy as Part;
}
