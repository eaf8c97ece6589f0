import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureDatabase } from '../src/database.ts';
import { holderOfFolder } from '../src/folder-lock.ts';
import { identify, listProcesses, type ProcessEntry } from '../src/process-table.ts';
import { startEmbeddedPostgres } from '../src/supervisor.ts';
import { type Holder, postmasterPid, query, TestFolder, until } from './fixture/postmaster-process.ts';

let folder: TestFolder;
beforeEach(() => {
  folder = new TestFolder();
});
afterEach(() => folder.clear());

/**
 * The holder's initdb, as soon as it has written the file that a whole cluster is known by. Other tests may run one
 * too.
 */
async function initdbAtWork(holder: Holder): Promise<ProcessEntry> {
  await until(
    'a half made cluster',
    () => existsSync(folder.home) && unfinished().some((path) => existsSync(join(path, 'PG_VERSION'))),
  );
  return until('initdb', () =>
    listProcesses().find(({ parent, words }) => parent === holder.pid && words[0]?.endsWith('/initdb')),
  );
}

function unfinished(): string[] {
  return readdirSync(folder.home)
    .filter((name) => name.startsWith('cluster.new-'))
    .map((name) => join(folder.home, name));
}

test('killed in the middle of making the database, the next start makes a whole one and clears the rest', async () => {
  const killed = folder.hold();
  const initdb = await initdbAtWork(killed);
  await killed.kill();
  expect(existsSync(folder.cluster)).toBe(false);

  const next = folder.hold();
  const { connection } = await next.ready();
  expect(await query(connection, 'select current_database() as name')).toEqual([{ name: 'app' }]);
  expect(unfinished()).toEqual([]);
  expect(identify(initdb.pid)).toBeUndefined();
});

test('killed together with initdb, the next start makes a whole database', async () => {
  const killed = folder.hold();
  const initdb = await initdbAtWork(killed);
  process.kill(killed.pid, 'SIGKILL');
  process.kill(initdb.pid, 'SIGKILL');
  await killed.closed;
  await folder.hold().ready();
  expect(unfinished()).toEqual([]);
});

test('when initdb alone is killed the start is refused with a reason, and the next one works', async () => {
  const holder = folder.hold();
  process.kill((await initdbAtWork(holder)).pid, 'SIGKILL');
  expect(await holder.refusal()).toContain(`initdb could not make a database in ${folder.path} (ended with SIGKILL)`);
  expect(unfinished()).toEqual([]);
  await folder.hold().ready();
});

test('killed after the cluster was made and before its database was, the next start makes the database', async () => {
  const killed = folder.hold();
  const { connection } = await killed.ready();
  await query({ ...connection, database: 'postgres' }, 'drop database app');
  await killed.kill();

  await folder.hold().ready();
  expect(await query(connection, 'select current_database() as name')).toEqual([{ name: 'app' }]);
});

test('several sessions that create the database at once all succeed', async () => {
  const { connection } = await folder.hold().ready();
  await query({ ...connection, database: 'postgres' }, 'drop database app');
  const options = { logFile: join(folder.path, 'postgres.log'), setUp: async () => {} };
  await Promise.all(Array.from({ length: 5 }, () => ensureDatabase(connection, options)));
  expect(await query(connection, 'select current_database() as name')).toEqual([{ name: 'app' }]);
});

test('each start sets the database up before it is handed out', async () => {
  const setUp = async (session: Client) => {
    await session.query('create table if not exists public.started (n int)');
    await session.query('insert into public.started values (1)');
  };
  for (const starts of [1, 2]) {
    const postgres = await startEmbeddedPostgres({ dataDir: folder.path, database: 'app', setUp });
    expect(await query(postgres.connection, 'select count(*)::int as starts from started')).toEqual([{ starts }]);
    await postgres.stop();
  }
});

test('a start whose set-up fails is refused and leaves no PostgreSQL and no claim behind', async () => {
  const setUp = async () => {
    throw new Error('no');
  };
  await expect(startEmbeddedPostgres({ dataDir: folder.path, setUp })).rejects.toThrow('no');
  expect(postmasterPid(folder.cluster)).toBeUndefined();
  expect(holderOfFolder(folder.path)).toBeUndefined();
});

test('data of another major version is refused and left as it is', async () => {
  mkdirSync(folder.cluster, { recursive: true });
  writeFileSync(join(folder.cluster, 'PG_VERSION'), '17\n');
  expect(await folder.hold().refusal()).toContain(
    `data folder ${folder.path} holds data of PostgreSQL 17, but PostgreSQL 18 is installed`,
  );
  expect(readFileSync(join(folder.cluster, 'PG_VERSION'), 'utf8')).toBe('17\n');
  expect(readdirSync(folder.cluster)).toEqual(['PG_VERSION']);
});

test('files without a version are refused and left as they are', async () => {
  mkdirSync(folder.cluster, { recursive: true });
  writeFileSync(join(folder.cluster, 'precious'), 'rows');
  expect(await folder.hold().refusal()).toContain('holds files but no PG_VERSION');
  expect(readdirSync(folder.cluster)).toEqual(['precious']);
});

test('a file in the place of the data folder is refused by name', async () => {
  writeFileSync(folder.path, '');
  expect(await folder.hold().refusal()).toBe(
    `EmbeddedPostgresError: ${folder.path} is a file, but a folder belongs there; move it away`,
  );
});
