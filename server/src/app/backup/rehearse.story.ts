import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { administerDatabase, databaseFromTemplate } from '../../../tests/support/postgres/database.ts';
import { urlOf } from '../../../tests/support/service/florin.ts';
import { environment } from '../../../tests/upgrade/fixture/environment.ts';
import { knownMigrations, migrateTo, migrationState } from '../../platform/postgres/migrate.ts';
import { readSettings } from '../config/settings.ts';
import { type Rehearsal, run } from './rehearse.ts';

const fixture = new URL('../../../tests/upgrade/fixture/release-0001.sql', import.meta.url);

test('an upgrade is rehearsed on a copy, each migration with its time and locks', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'florin-rehearsal-'));
  const db = await databaseFromTemplate('template0');
  try {
    const names = await knownMigrations();
    await migrateTo(db.connection, names.slice(0, 1));
    await administerDatabase(
      db,
      `begin; set local session_replication_role = replica;\n${readFileSync(fixture, 'utf8')}commit`,
    );
    const settings = readSettings(
      {
        ...environment,
        APP_JWT_KEYS: environment.APP_ENCRYPTION_KEYS,
        APP_DATABASE_URL: urlOf(db.connection),
        APP_DEPLOYMENT_MODE: 'STANDALONE',
      },
      undefined,
    );
    const lines: string[] = [];
    const add = (line: string) => lines.push(line);
    expect(await run(['--in', folder, '--json'], { settings, print: add, note: add }), lines.join('\n')).toBe(0);
    const { migrations, broken } = JSON.parse(lines.at(-1) as string) as Rehearsal;
    expect(broken).toEqual([]);
    expect(migrations.map(({ name }) => name)).toEqual(names.slice(1));
    for (const { elapsedMs } of migrations) expect(elapsedMs).toBeGreaterThanOrEqual(0);
    const locks = migrations.flatMap((migration) => migration.locks);
    expect(locks).toContainEqual({
      table: 'channel',
      mode: 'ACCESS EXCLUSIVE',
      rows: expect.any(Number),
      heldMs: expect.any(Number),
    });
    expect((await migrationState(db.connection)).applied).toEqual(names.slice(0, 1));
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    await db.drop();
    rmSync(folder, { recursive: true });
  }
}, 180_000);
