import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddedConnection } from '@florin/embedded-postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findRunningFlorin, startFlorinPostgres } from '../../src/platform/postgres/embedded/florin-postgres.ts';
import { brokenClaims } from '../support/broken-claims.ts';
import { databaseAt } from '../support/postgres/database.ts';
import { migrateUpTo } from '../support/postgres/migrate-up-to.ts';
import { type ReadyService, startService } from '../support/service/service-process.ts';
import { environment } from './fixture/environment.ts';

let dataDir: string;
let superuser: EmbeddedConnection;
let service: ReadyService;

/** A data folder of the first release, whose service was the superuser of its PostgreSQL. */
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'florin-old-'));
  const postgres = await startFlorinPostgres({ dataDir, log: { info: () => {}, warn: () => {}, error: () => {} } });
  superuser = postgres.superuser;
  const db = databaseAt({ ...superuser });
  await db.query('alter schema public owner to pg_database_owner');
  await db.query('drop owned by florin_service');
  await db.query('drop role florin_service');
  await migrateUpTo(db, '0001');
  const rows = readFileSync(new URL('./fixture/release-0001.sql', import.meta.url), 'utf8');
  await db.query(`begin; set local session_replication_role = replica;\n${rows}commit`);
  await db.drop();
  await postgres.stop();
  await writeFile(join(dataDir, 'encryption-keys'), environment.APP_ENCRYPTION_KEYS, { mode: 0o600 });
  service = await startService({ environment: { PORT: '0', APP_DATA_DIR: dataDir, APP_PROCESSES: '2' } });
});

afterAll(async () => {
  await service.end('SIGTERM');
  await rm(dataDir, { recursive: true, force: true });
});

test('the service runs on a data folder of release 0001 without the superuser, with all its rows', async () => {
  const db = databaseAt({ ...(await findRunningFlorin(dataDir)) });
  try {
    expect(await db.query('select current_user::text as name')).toEqual([{ name: 'florin_service' }]);
    expect(await brokenClaims(db.database)).toEqual([]);
  } finally {
    await db.drop();
  }
});

test("every connection is that of the service's role, to which every table belongs", async () => {
  const db = databaseAt({ ...superuser });
  try {
    const connections = await db.query<{ usename: string; name: string }>(
      `select distinct usename::text, application_name as name from pg_stat_activity
        where application_name like 'florin %' and application_name <> 'florin test'`,
    );
    expect(connections.map(({ name }) => name)).toContain('florin listener');
    expect(connections.filter(({ usename }) => usename !== 'florin_service')).toEqual([]);
    const others = `select relname from pg_class
                     where relnamespace = 'public'::regnamespace and relowner <> 'florin_service'::regrole`;
    expect(await db.query(others)).toEqual([]);
  } finally {
    await db.drop();
  }
});
