import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSession } from '@florin/embedded-postgres';
import {
  closeDataFolder,
  ensureCluster,
  launch,
  makeRoot,
  openDataFolder,
  type Postmaster,
  postmasterArguments,
  provideBinaries,
  shutDown,
  signal,
  untilReady,
} from '@florin/embedded-postgres/parts';
import type pg from 'pg';
import type { TestProject } from 'vitest/node';
import { chainAuditEntries } from '../../../src/domains/identity/audit/chain.ts';
import type { ConnectionConfig } from '../../../src/platform/postgres/connection/connection-url.ts';
import { Database } from '../../../src/platform/postgres/database.ts';
import { florinNames } from '../../../src/platform/postgres/embedded/florin-postgres.ts';
import { ensureServiceRole, serviceRole } from '../../../src/platform/postgres/embedded/service-role.ts';
import { migrate } from '../../../src/platform/postgres/migrate.ts';
import { administer, createEmptyDatabase } from './administer.ts';
import { KeptClusters } from './kept-cluster.ts';
import { startPgbouncer } from './pgbouncer.ts';

type Connection = pg.ClientConfig & { user: string };

interface Server {
  administrator: Connection;
  service: Connection;
  template: string;
  stop: () => Promise<void>;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The superuser, or the account of TEST_DATABASE_URL. */
    administrator: Connection;
    /** The role with which the service uses an embedded PostgreSQL, or the account of TEST_DATABASE_URL. */
    service: Connection;
    templateDatabase: string;
    /** With TEST_PGBOUNCER=1: nodes use each database through pgbouncer in transaction mode, at this host and port. */
    pooler: pg.ClientConfig | undefined;
  }
}

const silent = { info: () => {}, warn: () => {}, error: () => {} };

/**
 * Starts one PostgreSQL for the whole test run, with a migrated database that every test file copies: the embedded one
 * without fsync, with its role for the service, or the server of TEST_DATABASE_URL (PostgreSQL 15 or newer) if it may
 * create databases. Tests that kill PostgreSQL start their own.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  const { administrator, service, template, stop } = given === undefined ? await embedded() : await at(given);
  project.provide('administrator', administrator);
  project.provide('service', service);
  project.provide('templateDatabase', template);
  if (process.env.TEST_PGBOUNCER !== '1') return stop;
  const pooler = await startPgbouncer(service);
  const { host, port } = pooler.connection;
  project.provide('pooler', { host, port });
  return async () => {
    await pooler.stop();
    await stop();
  };
}

/** All test files share it, with all their nodes. */
const settings = { max_connections: '400', autovacuum_naptime: '1min' };

/** Without fsync: creating and dropping a database took 1.5 s, most of it fsync. */
const isDisposable = true;

const embeddedTemplate = 'florin_template';

async function embedded(): Promise<Server> {
  const root = makeRoot(await mkdtemp(join(tmpdir(), 'florin-test-')));
  let postmaster: Postmaster | undefined;
  // Immediate shutdown: nothing of it is kept.
  const clear = () => {
    if (postmaster !== undefined) signal(postmaster.pid, 'SIGQUIT');
    rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  };
  // It runs in its own session: an interrupted test run would leave it behind.
  process.once('exit', clear);
  const clusters = new KeptClusters();
  const isMigrated = clusters.restore(join(root, 'postgres', 'cluster'));
  // Afterwards, because it gives the copy to the account that runs PostgreSQL.
  const folder = openDataFolder(root);
  const binaries = provideBinaries(root, folder.account);
  const start = async () => {
    const words = postmasterArguments(folder, binaries.version, settings, { ...florinNames, isDisposable });
    postmaster = await launch(folder, { program: binaries.postgres, words });
    await untilReady(folder, postmaster, silent);
    return postmaster;
  };
  const place = { host: folder.socket.folder, port: florinNames.port, database: 'postgres' };
  const administrator = { ...place, user: florinNames.superuser };
  const service = { ...place, user: serviceRole };
  if (!isMigrated) {
    await ensureCluster(folder, binaries, silent, { ...florinNames, isDisposable });
    const first = await start();
    await makeServiceRole(administrator);
    await makeTemplate({ administrator, service, template: embeddedTemplate });
    await shutDown(first, silent);
    clusters.keep(folder.cluster);
  }
  const { pid, ended } = await start();
  return {
    administrator,
    service,
    template: embeddedTemplate,
    stop: async () => {
      signal(pid, 'SIGQUIT');
      await ended;
      closeDataFolder(folder);
      process.off('exit', clear);
      clear();
    },
  };
}

async function makeServiceRole(administrator: Connection & { host: string; port: number; database: string }) {
  const client = await openSession(administrator);
  await ensureServiceRole(client, { log: silent });
  await client.end();
}

/**
 * A migrated database whose audit entries are chained: the one that a migration writes would be found to be chained
 * late in a cluster that was kept for more than an hour.
 */
async function makeTemplate({ administrator, service, template }: Omit<Server, 'stop'>): Promise<void> {
  await createEmptyDatabase(administrator, template, service.user);
  const connection = { ...service, database: template } as ConnectionConfig;
  await migrate(connection, () => {});
  const database = new Database({ connection, connections: 1, name: 'template' });
  try {
    await chainAuditEntries(database);
  } finally {
    await database.close();
  }
}

async function at(url: string): Promise<Server> {
  const connection = configOf(url);
  const server = { administrator: connection, service: connection, template: `florin_template_${process.pid}` };
  await makeTemplate(server);
  return {
    ...server,
    stop: () => administer(server.administrator, `drop database ${server.template} with (force)`),
  };
}

function configOf(url: string): Connection {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  return {
    host: searchParams.get('host') ?? hostname,
    port: Number(port || 5432),
    user: decodeURIComponent(username) || 'postgres',
    password: decodeURIComponent(password),
    database: pathname.slice(1) || 'postgres',
  };
}
