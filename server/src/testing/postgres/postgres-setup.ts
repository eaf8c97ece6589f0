import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import type { TestProject } from 'vitest/node';
import { provideBinaries } from '../../platform/postgres/embedded/binaries.ts';
import { ensureCluster } from '../../platform/postgres/embedded/cluster.ts';
import { embeddedPort, embeddedUser } from '../../platform/postgres/embedded/contract.ts';
import { closeDataFolder, makeRoot, openDataFolder } from '../../platform/postgres/embedded/data-folder.ts';
import { launch, type Postmaster, untilReady } from '../../platform/postgres/embedded/postmaster.ts';
import { signal } from '../../platform/postgres/embedded/process-table.ts';
import { postmasterArguments } from '../../platform/postgres/embedded/settings.ts';
import { migrate } from '../../platform/postgres/migrate.ts';
import { administer } from './administer.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: pg.ClientConfig;
    templateDatabase: string;
  }
}

const silent = { info: () => {}, warn: () => {}, error: () => {} };

/**
 * Starts one PostgreSQL for the whole test run, with a migrated database that every test file copies: the embedded one
 * without fsync, or the server of TEST_DATABASE_URL (PostgreSQL 15 or newer) if it may create databases. Tests that kill
 * PostgreSQL start their own.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  const { connection, stop } =
    given === undefined ? await embedded() : { connection: configOf(given), stop: async () => {} };
  const template = `florin_template_${process.pid}`;
  await administer(connection, `create database ${template}`);
  await migrate({ ...connection, database: template }, () => {});
  project.provide('postgres', connection);
  project.provide('templateDatabase', template);
  return async () => {
    await administer(connection, `drop database ${template} with (force)`);
    await stop();
  };
}

/** Without fsync: creating and dropping a database took 1.5 s, most of it fsync. All test files share it, with all their nodes. */
const settings = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_connections=400',
  'autovacuum_naptime=1min',
];

async function embedded(): Promise<{ connection: pg.ClientConfig; stop: () => Promise<void> }> {
  const root = makeRoot(await mkdtemp(join(tmpdir(), 'florin-test-')));
  let postmaster: Postmaster | undefined;
  // Immediate shutdown: nothing of it is kept.
  const clear = () => {
    if (postmaster !== undefined) signal(postmaster.pid, 'SIGQUIT');
    rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  };
  // It runs in its own session: an interrupted test run would leave it behind.
  process.once('exit', clear);
  const folder = openDataFolder(root);
  const binaries = provideBinaries(root, folder.account);
  await ensureCluster(folder, binaries, silent);
  const words = [
    ...postmasterArguments(folder, binaries.version, {}),
    ...settings.flatMap((setting) => ['-c', setting]),
  ];
  postmaster = await launch(folder, { program: binaries.postgres, words });
  await untilReady(folder, postmaster, silent);
  const { pid, ended } = postmaster;
  return {
    connection: { host: folder.socket.folder, port: embeddedPort, user: embeddedUser, database: 'postgres' },
    stop: async () => {
      signal(pid, 'SIGQUIT');
      await ended;
      closeDataFolder(folder);
      process.off('exit', clear);
      clear();
    },
  };
}

function configOf(url: string): pg.ClientConfig {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  return {
    host: searchParams.get('host') ?? hostname,
    port: Number(port || 5432),
    user: decodeURIComponent(username) || 'postgres',
    password: decodeURIComponent(password),
    database: pathname.slice(1) || 'postgres',
  };
}
