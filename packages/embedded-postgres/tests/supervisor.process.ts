import { appendFileSync, existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { openSession } from '../src/database.ts';
import { identify, isRunning, listProcesses, type ProcessIdentity } from '../src/process-table.ts';
import { reserveWal, reserveWalLater } from '../src/reserve-wal.ts';
import { query, TestFolder, until } from './fixture/postmaster-process.ts';

// One folder for all tests in turn: what one leaves behind is what the next has to cope with.
const folder = new TestFolder();
afterEach(() => folder.endAll());
afterAll(() => folder.clear());

const countRows = 'select count(*)::int as count from kept';

test('a new folder becomes a database that keeps what it commits and listens on a private socket only', async () => {
  const holder = folder.hold();
  const { connection } = await holder.ready();
  const setting = async (name: string) => (await query(connection, `show ${name}`))[0]?.[name];
  for (const name of ['fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums', 'autovacuum']) {
    expect(await setting(name), name).toBe('on');
  }
  expect(await setting('listen_addresses')).toBe('');
  expect(await setting('server_encoding')).toBe('UTF8');
  expect(await setting('TimeZone')).toBe('UTC');
  expect(await query(connection, `select upper('é') as upper, 'Z' < 'a' as by_code_point`)).toEqual([
    { upper: 'É', by_code_point: true },
  ]);
  expect(statSync(connection.host).mode & 0o777).toBe(0o700);
  const { pid } = await holder.postmaster();
  expect(statSync(`/proc/${pid}`).uid).not.toBe(0);
  await query(connection, 'create table kept (n int)', 'insert into kept values (1)');
  expect(await holder.stop()).toBe(0);
});

test('a folder that is only tried has no reserve: it is made after the first 64 MB of writing', async () => {
  const holder = folder.hold();
  const { connection } = await holder.ready();
  const files = async () =>
    (await query(connection, 'select count(*)::int as files from pg_ls_waldir()'))[0]?.files as number;
  const write16MB = () =>
    query(connection, `select pg_logical_emit_message(false, 'test', 'x')`, 'select pg_switch_wal()');
  const { signal } = new AbortController();
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  let isMade = false;
  const made = reserveWalLater(connection, { cluster: folder.cluster, log, signal, lookEveryMs: 10 }).then(() => {
    isMade = true;
  });
  while ((await files()) < 4) await write16MB();
  expect([await files(), isMade]).toEqual([4, false]);
  while ((await files()) < 5) await write16MB();
  await made;
  expect(await files()).toBeGreaterThanOrEqual(32);
  expect(await holder.stop()).toBe(0);
});

test('files for the write-ahead log are prepared before they are needed, once', async () => {
  const holder = folder.hold();
  const { connection } = await holder.ready();
  const filesAhead = () =>
    query(
      connection,
      'select count(*)::int as files from pg_ls_waldir() where name > pg_walfile_name(pg_current_wal_insert_lsn())',
    );
  const currentFile = () => query(connection, 'select pg_walfile_name(pg_current_wal_insert_lsn()) as name');
  const options = { cluster: folder.cluster, signal: new AbortController().signal };
  await reserveWal(connection, options);
  const [{ files }] = (await filesAhead()) as [{ files: number }];
  expect(files).toBeGreaterThanOrEqual(28);
  expect(await query(connection, 'select slot_name from pg_replication_slots')).toEqual([]);
  const before = await currentFile();
  await reserveWal(connection, options);
  expect(await currentFile()).toEqual(before);
  expect(await holder.stop()).toBe(0);
});

test('stopping twice ends PostgreSQL once and frees the folder', async () => {
  const holder = folder.hold();
  const { connection } = await holder.ready();
  const [{ cluster_name: mark }] = (await query(connection, 'show cluster_name')) as [{ cluster_name: string }];
  const processes = () => listProcesses().filter(({ words }) => words.join(' ').includes(mark));
  expect(processes().length).toBeGreaterThan(3);
  expect(await holder.stop()).toBe(0);
  await holder.event(({ event }) => event === 'stopped');
  expect(processes()).toEqual([]);
  expect(existsSync(join(folder.cluster, 'postmaster.pid'))).toBe(false);
  expect(readdirSync(connection.host)).toEqual([]);
  expect(readdirSync(join(folder.path, 'lock'))).toEqual([]);
});

test('after kill -9 of the program the next start takes over the running PostgreSQL with every row', async () => {
  const killed = folder.hold();
  const { connection } = await killed.ready();
  const { pid } = await killed.postmaster();
  await query(connection, 'insert into kept values (2)');
  await killed.kill();

  const next = folder.hold();
  const ready = await next.ready();
  expect(ready.connection).toEqual(connection);
  expect(await next.postmaster()).toMatchObject({ pid, attached: true });
  expect(await query(connection, countRows)).toEqual([{ count: 2 }]);
  expect(await next.stop()).toBe(0);
  expect(identify(pid)).toBeUndefined();
});

test('a defect that ends the program ends PostgreSQL too, and a start at once finds every row', async () => {
  const defective = folder.hold();
  await defective.ready();
  const { pid } = await defective.postmaster();
  const postmaster = identify(pid) as ProcessIdentity;
  process.kill(defective.pid, 'SIGUSR2');
  expect(await defective.closed).toBe(1);

  const next = folder.hold();
  const { connection } = await next.ready();
  await until('the end of PostgreSQL', () => !isRunning(postmaster));
  expect(await next.postmaster()).toMatchObject({ attached: false });
  expect(await query(connection, countRows)).toEqual([{ count: 2 }]);
  expect(await next.stop()).toBe(0);
});

test('a PostgreSQL that was taken over is watched: after kill -9 it is started again', async () => {
  await (async (killed) => {
    await killed.ready();
    await killed.kill();
  })(folder.hold());
  const holder = folder.hold();
  const { connection } = await holder.ready();
  const taken = await holder.postmaster();
  expect(taken.attached).toBe(true);
  const seen = holder.eventCount;
  process.kill(taken.pid, 'SIGKILL');
  expect(await holder.postmaster(seen)).toMatchObject({ attached: false });
  expect(await query(connection, countRows)).toEqual([{ count: 2 }]);
});

test('after kill -9 of PostgreSQL it is started again, time after time, with every row', async () => {
  const holder = folder.hold();
  const { connection } = await holder.ready();
  let from = 0;
  for (let count = 3; count <= 5; count += 1) {
    const { pid } = await holder.postmaster(from);
    await query(connection, `insert into kept values (${count})`);
    from = holder.eventCount;
    process.kill(pid, 'SIGKILL');
    await holder.postmaster(from);
    expect(await query(connection, countRows)).toEqual([{ count }]);
  }
});

test('a worker that hangs when its PostgreSQL is killed does not keep the new one from starting', async () => {
  const holder = folder.hold();
  const { connection } = await holder.ready();
  const client = new Client({ ...connection });
  client.on('error', () => {});
  await client.connect();
  const worker = (await client.query('select pg_backend_pid() as pid')).rows[0].pid as number;
  const { pid } = await holder.postmaster();
  const seen = holder.eventCount;
  process.kill(worker, 'SIGSTOP');
  process.kill(pid, 'SIGKILL');
  await holder.postmaster(seen);
  expect(identify(worker)).toBeUndefined();
  expect(await query(connection, countRows)).toEqual([{ count: 5 }]);
});

test('after kill -9 of the program and PostgreSQL together the next start finds every row', async () => {
  const killed = folder.hold();
  const { connection } = await killed.ready();
  const { pid } = await killed.postmaster();
  await query(connection, 'insert into kept values (6)');
  process.kill(killed.pid, 'SIGKILL');
  process.kill(pid, 'SIGKILL');
  await killed.closed;

  const next = folder.hold();
  await next.ready();
  expect(await next.postmaster()).toMatchObject({ attached: false });
  expect(await query(connection, countRows)).toEqual([{ count: 6 }]);
});

test('a running PostgreSQL with other settings than wanted is replaced instead of taken over', async () => {
  const killed = folder.hold();
  await killed.ready();
  const { pid } = await killed.postmaster();
  await killed.kill();
  const next = folder.hold({ settings: { work_mem: '5MB' } });
  const { connection } = await next.ready();
  expect(await next.postmaster()).toMatchObject({ attached: false });
  expect(identify(pid)).toBeUndefined();
  expect(await query(connection, 'show work_mem')).toEqual([{ work_mem: '5MB' }]);
});

test('settings that guard committed data cannot be changed', async () => {
  const holder = folder.hold({ settings: { fsync: 'off' } });
  expect(await holder.refusal()).toBe('EmbeddedPostgresError: setting fsync of the embedded PostgreSQL is always on');
  expect(readdirSync(join(folder.path, 'lock'))).toEqual([]);
});

test('Ctrl-C reaches the program and leaves PostgreSQL to it', async () => {
  const holder = folder.hold();
  await holder.ready();
  process.kill(-holder.pid, 'SIGINT');
  expect(await holder.event(({ event }) => event === 'drained')).toMatchObject({ rows: [{ one: 1 }] });
  expect(await holder.closed).toBe(0);
});

test('a PostgreSQL that cannot start is tried again with growing pauses until it can', async () => {
  const holder = folder.hold();
  const { connection } = await holder.ready();
  const configuration = join(folder.cluster, 'postgresql.conf');
  const sound = readFileSync(configuration, 'utf8');
  appendFileSync(configuration, 'no such setting\n');
  process.kill((await holder.postmaster()).pid, 'SIGKILL');
  const pauses = [];
  let from = holder.eventCount;
  for (let n = 0; n < 3; n += 1) {
    const seen = from;
    const pause = await holder.event(({ message }) => String(message).startsWith('waiting before'), seen);
    from = holder.indexOf(pause) + 1;
    pauses.push(Number(pause.pauseMs));
  }
  expect(pauses.at(-1)).toBeGreaterThan(pauses[0] ?? 0);
  writeFileSync(configuration, sound);
  await holder.postmaster(from);
  expect(await query(connection, countRows)).toEqual([{ count: 6 }]);
});

test('stopping while PostgreSQL cannot be started ends the attempts', async () => {
  const holder = folder.hold();
  await holder.ready();
  const configuration = join(folder.cluster, 'postgresql.conf');
  const sound = readFileSync(configuration, 'utf8');
  appendFileSync(configuration, 'no such setting\n');
  process.kill((await holder.postmaster()).pid, 'SIGKILL');
  await holder.event(({ message }) => String(message).startsWith('waiting before'));
  process.kill(holder.pid, 'SIGTERM');
  expect(await holder.closed).toBe(0);
  writeFileSync(configuration, sound);
  expect(readdirSync(join(folder.path, 'lock'))).toEqual([]);
});

test('settings of PostgreSQL clients and of the dynamic linker in the environment change nothing', async () => {
  const holder = folder.hold({
    env: { PGDATA: '/nonexistent', PGPORT: '1', PGHOST: '/nonexistent', LD_LIBRARY_PATH: '/nonexistent' },
  });
  const { connection } = await holder.ready();
  const lines = await query(
    connection,
    'create temp table seen (line text)',
    `copy seen from program 'env'`,
    'table seen',
  );
  const names = lines.map(({ line }) => String(line).split('=')[0]);
  expect(names).toContain('PATH');
  expect(names.filter((name) => name === 'PGHOST' || name === 'LD_LIBRARY_PATH')).toEqual([]);
  expect(await query(connection, 'show fsync')).toEqual([{ fsync: 'on' }]);
});

test('PGOPTIONS in the environment does not reach a session of the superuser', async () => {
  const { connection } = await folder.hold().ready();
  vi.stubEnv('PGOPTIONS', '-c search_path=elsewhere');
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const session = await openSession(connection);
  const { rows } = await session.query('show search_path');
  await session.end();
  expect(rows).toEqual([{ search_path: 'pg_catalog' }]);
});

test('a start that PostgreSQL refuses says what this one complained of, not what an earlier one did', async () => {
  const log = join(folder.path, 'postgres.log');
  appendFileSync(log, '2026-01-01 00:00:00.000 UTC [1] FATAL:  database "of yesterday" does not exist\n');
  const rules = join(folder.cluster, 'pg_hba.conf');
  renameSync(rules, `${rules}.away`);
  const refusal = await folder.hold().refusal();
  renameSync(`${rules}.away`, rules);
  expect(refusal).toBe(
    `EmbeddedPostgresError: PostgreSQL did not start (exit code 1), see ${log}: FATAL: could not load ${rules}`,
  );
});
