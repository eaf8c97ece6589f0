import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { isMigrated, MigrationDeadlineError, type MigrationWait, migrate, UnknownSchemaError } from '../migrate.ts';

const migrations = fileURLToPath(new URL('../../../../migrations', import.meta.url));
let db: TestDatabase;
let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'florin-migrations-'));
  for (const file of await readdir(migrations)) await copyFile(join(migrations, file), join(dir, file));
  await writeFile(join(dir, '9998_extended.sql'), 'alter table tenant add column extended int not null default 0;');
  await writeFile(join(dir, '9999_again.sql'), 'alter table tenant add column again int;');
});

afterAll(() => rm(dir, { recursive: true, force: true }));

beforeEach(async () => {
  db = await databaseFromTemplate();
});

afterEach(() => db.drop());

const columns = async () => {
  const rows = await db.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = 'tenant'::regclass and attnum > 0`,
  );
  return rows.map(({ name }) => name);
};

describe('while a long transaction holds a lock on the table that a migration alters', () => {
  let holder: pg.Client;

  beforeEach(async () => {
    holder = new pg.Client({ ...db.connection, application_name: 'a long report' });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select count(*) from tenant');
  });

  afterEach(() => holder.end());

  test('writes to it continue, and the migration succeeds once the transaction has ended', async () => {
    const waits: MigrationWait[] = [];
    const migrated = migrate(db.connection, () => {}, { dir, onWait: (wait) => waits.push(wait), retryPauseMs: 50 });
    const written: number[] = [];
    // Writes run between the attempts and after they have timed out, while the transaction is still open.
    for (let id = 1; waits.length < 3; id++) {
      await db.query('insert into tenant (id, name) values ($1, $2)', [id, `Tenant ${id}`]);
      written.push(id);
    }
    expect(written.length).toBeGreaterThan(2);
    expect(await columns()).not.toContain('extended');
    await holder.query('commit');
    await migrated;
    expect(await columns()).toEqual(expect.arrayContaining(['extended', 'again']));
  });

  test('the report says which migration waits, for how long, and for whom', async () => {
    const waits: MigrationWait[] = [];
    const migrated = migrate(db.connection, () => {}, { dir, onWait: (wait) => waits.push(wait), retryPauseMs: 50 });
    const wait = await eventually('a wait with its cause', () => waits.find(({ blockedBy }) => blockedBy.length > 0));
    expect(wait.migration).toBe('9998_extended');
    expect(wait.waitedMs).toBeGreaterThan(0);
    expect(wait.blockedBy.join()).toMatch(/process \d+ \(a long report\), idle in transaction, in its transaction for/);
    await holder.query('commit');
    await migrated;
  });

  test('the wait ends at the deadline, which names the migration and who holds the lock', async () => {
    const migrated = migrate(db.connection, () => {}, { dir, lockTimeoutMs: 700, deadlineMs: 900, retryPauseMs: 400 });
    await expect(migrated).rejects.toThrow(MigrationDeadlineError);
    await expect(migrated).rejects.toThrow(
      /9998_extended, which waits for a lock held by process \d+ \(a long report\)/,
    );
    expect(await columns()).not.toContain('extended');
  });

  test('the wait ends at once when the start is interrupted', async () => {
    const interruption = new AbortController();
    const migrated = migrate(db.connection, () => {}, {
      dir,
      onWait: () => interruption.abort(),
      retryPauseMs: 600_000,
      signal: interruption.signal,
    });
    await expect(migrated).rejects.toThrow(/abort/);
    expect(await columns()).not.toContain('extended');
  });
});

test('a statement that runs at the deadline is cancelled, and its migration leaves nothing behind', async () => {
  const slow = await mkdtemp(join(tmpdir(), 'florin-migrations-'));
  for (const file of await readdir(migrations)) await copyFile(join(migrations, file), join(slow, file));
  await writeFile(join(slow, '9998_slow.sql'), 'alter table tenant add column half int; select pg_sleep(600);');
  const migrated = migrate(db.connection, () => {}, { dir: slow, deadlineMs: 500 });
  await expect(migrated).rejects.toThrow('the deadline passed before migration 9998_slow; it changed nothing.');
  expect(await columns()).not.toContain('half');
  await rm(slow, { recursive: true });
});

test('two nodes that start at the same time migrate once', async () => {
  const lines: string[] = [];
  const node = () => migrate(db.connection, (line) => lines.push(line), { dir, retryPauseMs: 10 });
  await Promise.all([node(), node(), node()]);
  expect(lines.filter((line) => line.includes('9998_extended (UP)'))).toHaveLength(1);
});

test('a migration with an error fails with that error, and leaves nothing behind', async () => {
  const broken = await mkdtemp(join(tmpdir(), 'florin-migrations-'));
  for (const file of await readdir(migrations)) await copyFile(join(migrations, file), join(broken, file));
  await writeFile(
    join(broken, '9998_broken.sql'),
    'alter table tenant add column half int; select no_such_function();',
  );
  await expect(migrate(db.connection, () => {}, { dir: broken })).rejects.toThrow(/no_such_function/);
  expect(await columns()).not.toContain('half');
  await rm(broken, { recursive: true });
});

test('a new database is migrated in one transaction: after a failure it is as new as before', async () => {
  const empty = await databaseFromTemplate('template0');
  const partial = await mkdtemp(join(tmpdir(), 'florin-migrations-'));
  for (const file of await readdir(migrations)) await copyFile(join(migrations, file), join(partial, file));
  await writeFile(join(partial, '9998_broken.sql'), 'select no_such_function();');
  await expect(migrate(empty.connection, () => {}, { dir: partial })).rejects.toThrow(/no_such_function/);
  expect(await empty.query(`select to_regclass('tenant') as tenant`)).toEqual([{ tenant: null }]);

  const migrated: string[] = [];
  await migrate(empty.connection, () => {}, { onMigrated: (name) => migrated.push(name) });
  expect(migrated.map((name) => `${name}.sql`)).toEqual((await readdir(migrations)).toSorted());
  await rm(partial, { recursive: true });
  await empty.drop();
});

test('a database of a version before the first release is refused, and not changed', async () => {
  await db.query(`update schema_migration set name = '0001_foundation'`);
  const before = await columns();
  await expect(migrate(db.connection, () => {}, { dir })).rejects.toThrow(UnknownSchemaError);
  expect(await columns()).toEqual(before);
});

test('a schema of a newer version is reported, and refused where a migration breaks older nodes', async () => {
  const newer: string[] = [];
  const start = () => migrate(db.connection, () => {}, { onNewer: (names) => newer.push(...names) });
  await start();
  expect(newer).toEqual([]);
  const run = (name: string) => db.query('insert into schema_migration (name, run_on) values ($1, now())', [name]);
  await run('9990_new_column');
  await start();
  expect([newer, await isMigrated(db.connection)]).toEqual([['9990_new_column'], true]);
  await run('9991_renamed_tables_breaks_older_nodes');
  await expect(start()).rejects.toThrow(UnknownSchemaError);
  await expect(isMigrated(db.connection)).rejects.toThrow('9991_renamed_tables_breaks_older_nodes');
});
