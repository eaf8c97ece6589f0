import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { spawnAs } from '../src/account.ts';
import { provideBinaries } from '../src/binaries.ts';
import { programEnvironment } from '../src/cluster.ts';
import { openDataFolder } from '../src/data-folder.ts';
import { clearLeftovers } from '../src/leftovers.ts';
import { identify, listProcesses } from '../src/process-table.ts';
import { clusterArgument } from '../src/settings.ts';
import { type Holder, postmasterPid, query, TestFolder, until } from './fixture/postmaster-process.ts';

const folder = new TestFolder();
const programs: ChildProcess[] = [];
afterEach(async () => {
  await folder.endAll();
  for (const program of programs.splice(0)) program.kill('SIGKILL');
});
afterAll(() => folder.clear());

const pidFile = join(folder.cluster, 'postmaster.pid');

/** Kills both, so that the pid file stays behind. */
async function killBoth(holder: Holder): Promise<void> {
  await holder.ready();
  const { pid } = await holder.postmaster();
  process.kill(holder.pid, 'SIGKILL');
  process.kill(pid, 'SIGKILL');
  await holder.closed;
  await until('the end of PostgreSQL', () => !identify(pid));
}

/** A program that runs as the account of the database. */
function runAsAccount(program: string, words: string[], cwd: string): ChildProcess {
  const { account } = openDataFolder(folder.path);
  const child = spawn(program, words, { cwd, env: programEnvironment(), stdio: 'ignore', ...spawnAs(account) });
  programs.push(child);
  return child;
}

test('the pid file of a killed PostgreSQL does not stand in the way', async () => {
  await killBoth(folder.hold());
  expect(existsSync(pidFile)).toBe(true);
  const { connection } = await folder.hold().ready();
  expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('a pid file that names another living process of the same account does not stand in the way', async () => {
  await killBoth(folder.hold());
  const innocent = runAsAccount('sleep', ['60'], '/');
  const [, ...rest] = readFileSync(pidFile, 'utf8').split('\n');
  writeFileSync(pidFile, [innocent.pid, ...rest].join('\n'));
  const { connection } = await folder.hold().ready();
  expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(innocent.exitCode ?? innocent.signalCode).toBeNull();
});

test('an empty pid file does not stand in the way', async () => {
  await killBoth(folder.hold());
  writeFileSync(pidFile, '');
  await folder.hold().ready();
});

test('a PostgreSQL of ours that wrote its pid file late is ended, not refused as that of somebody else', async () => {
  const holder = folder.hold();
  await holder.ready();
  const { pid } = await holder.postmaster();
  await holder.kill();
  const silent = { info: () => {}, warn: () => {}, error: () => {} };
  await clearLeftovers(openDataFolder(folder.path), silent);
  expect(identify(pid)).toBeUndefined();
  await folder.hold().ready();
});

test('a PostgreSQL that somebody else started on the data is refused by name and left alone', async () => {
  const holder = folder.hold();
  await holder.ready();
  await holder.stop();
  const data = openDataFolder(folder.path);
  const { postgres } = provideBinaries(data.root, data.account);
  const words = [
    '-D',
    clusterArgument(data),
    '-c',
    'listen_addresses=',
    '-c',
    `unix_socket_directories=${data.socket.setting}`,
  ];
  const stranger = runAsAccount(postgres, words, data.cluster);
  await until(
    'the other PostgreSQL',
    () => postmasterPid(folder.cluster) === stranger.pid && readFileSync(pidFile, 'utf8').includes('ready'),
  );
  const pidOf = (worker: string) =>
    listProcesses().find(({ parent, words }) => parent === stranger.pid && words.join(' ').includes(worker))?.pid;
  const checkpointer = await until('its checkpointer', () => pidOf('checkpointer'));
  expect(await folder.hold().refusal()).toContain(
    `data folder ${folder.path} is in use by PostgreSQL process ${stranger.pid}, which this process did not start`,
  );
  expect(pidOf('checkpointer')).toBe(checkpointer);
  expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
});

test('in a deep folder the socket lies in a private folder with a short path, until the stop', async () => {
  const deep = new TestFolder(undefined, 'd'.repeat(100), 'e'.repeat(100));
  try {
    const holder = deep.hold();
    const { connection } = await holder.ready();
    expect(connection.host.length).toBeLessThan(90);
    expect(lstatSync(connection.host).mode & 0o777).toBe(0o700);
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    await holder.kill();
    const next = deep.hold();
    expect((await next.ready()).connection).toEqual(connection);
    expect(await next.postmaster()).toMatchObject({ attached: true });
    await next.stop();
    expect(existsSync(connection.host)).toBe(false);
  } finally {
    await deep.clear();
  }
});
