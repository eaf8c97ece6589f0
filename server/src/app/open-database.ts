import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgresError } from '@florin/embedded-postgres';
import { UnusableSetUp } from '../platform/postgres/bus/prove-notifications.ts';
import { describeHosts, reasonOf, SessionClient } from '../platform/postgres/connection/connection.ts';
import { type ConnectionConfig, connectionOf } from '../platform/postgres/connection/connection-url.ts';
import { sessionSettings } from '../platform/postgres/connection/session-settings.ts';
import { findRunningFlorin, florinNames, startFlorinPostgres } from '../platform/postgres/embedded/florin-postgres.ts';
import {
  isMigrated,
  type MigrateOptions,
  MigrationDeadlineError,
  type MigrationWait,
  migrate,
  UnknownSchemaError,
} from '../platform/postgres/migrate.ts';
import type { Log } from '../platform/process/log.ts';
import { connectionsOfNode } from './config/connections.ts';
import { requireDataFolder } from './config/data-folder.ts';
import { type Settings, SettingsError } from './config/settings.ts';
import { mayPass, retryPauseMs, type Waiting } from './http/waiting.ts';
import { usableSetUpCheck } from './usable-set-up.ts';

/** Of PostgreSQL. */
export const oldestVersion = 15;

/** Of the embedded PostgreSQL. */
const leastConnections = 100;
/** For commands beside the service, such as a backup, and for the three that PostgreSQL keeps for its superuser. */
const reserveConnections = 20;

export interface OpenDatabase {
  connection: ConnectionConfig;
  /** Bypasses a pooler, for the listener and migrations, which need a session of their own. */
  direct: ConnectionConfig;
  /** A standby for reads of which nothing depends. */
  replica?: ConnectionConfig;
  /** Of the embedded PostgreSQL, for archiving and copying it. The rest of the service gets no superuser. */
  embedded?: { superuser: ConnectionConfig; cluster: string };
  /** Host and port, for messages. */
  hosts: string;
  /** Embedded: the lock of the data folder excludes other processes, so any lease in it belongs to a dead process. */
  isOursAlone: boolean;
  stop: () => Promise<void>;
}

/** Opens the embedded PostgreSQL or that of `app.database.url`, and migrates it to the schema of this version. */
export async function openDatabase(settings: Settings, log: Log, waiting: Waiting): Promise<OpenDatabase> {
  if (settings['app.database.url'] === undefined) return openEmbedded(settings, log, waiting);
  const database = configuredDatabase(settings);
  const { connection, direct } = database;
  await waiting.forDatabase(describeHosts(connection), () => requireVersion(connection, 'app.database.url'));
  const hosts = describeHosts(direct);
  if (direct !== connection) {
    await waiting.forDatabase(hosts, () => requireVersion(direct, 'app.database.direct-url'));
  }
  await waiting.forDatabase(hosts, usableSetUpCheck(database));
  await waiting.forDatabase(hosts, () => migrateWaiting(direct, log, waiting));
  return database;
}

async function openEmbedded(settings: Settings, log: Log, waiting: Waiting): Promise<OpenDatabase> {
  const database = await startEmbedded(settings, log, waiting.signal);
  try {
    await migrateWaiting(database.direct, log, waiting);
    return database;
  } catch (error) {
    await database.stop();
    throw error;
  }
}

async function migrateWaiting(direct: ConnectionConfig, log: Log, waiting: Waiting): Promise<void> {
  await migrateExplained(direct, log, {
    signal: waiting.signal,
    onWait: ({ migration, waitedMs, blockedBy }) => {
      const reason =
        `Migration ${migration} waits for a ` + `lock${blockedBy.length > 0 ? ` held by ${blockedBy.join('; ')}` : ''}`;
      return waiting.report(reason, { migration, waitedMs });
    },
    onReport: (report) => log.info({}, report),
    onNewer: (migrations) =>
      log.warn({ migrations }, 'A newer version of Florin has migrated the database; upgrade this node soon'),
  });
}

export interface MigrateDatabaseOptions {
  signal: AbortSignal;
  /** Called after each migration. */
  onMigrated: (migration: string) => void;
  /** Called with what a migration reports about the data that it has changed. */
  onReport: (report: string) => void;
  /** Called while a migration waits for a lock. */
  onWait: (wait: MigrationWait) => void;
  lockTimeoutMs?: number | undefined;
  deadlineMs?: number | undefined;
}

/** Migrates without starting a node: `florin migrate`, before the first node of a new version. */
export async function migrateDatabase(settings: Settings, log: Log, options: MigrateDatabaseOptions): Promise<void> {
  const opened =
    settings['app.database.url'] === undefined ? await startEmbedded(settings, log) : configuredDatabase(settings);
  try {
    if (!opened.isOursAlone) await requireUsableSetUp(opened);
    await migrateExplained(opened.direct, log, options);
  } finally {
    await opened.stop();
  }
}

async function migrateExplained(direct: ConnectionConfig, log: Log, options: MigrateOptions): Promise<void> {
  try {
    await migrate(direct, (line) => log.debug(line), options);
  } catch (error) {
    const isExplained = error instanceof UnknownSchemaError || error instanceof MigrationDeadlineError;
    throw isExplained ? new SettingsError(error.message) : error;
  }
}

/** The database of `app.database.url`. Nothing is opened. */
export function configuredDatabase(settings: Settings): OpenDatabase {
  const { 'app.database.url': url = '', 'app.database.direct-url': directUrl } = settings;
  const { connection, hosts } = connectionFrom(url, 'app.database.url');
  const replica = replicaOf(settings);
  const opened = { hosts, isOursAlone: false, stop: async () => {}, ...(replica && { replica }) };
  if (directUrl === undefined) return { ...opened, connection, direct: connection };
  const { connection: direct } = connectionFrom(directUrl, 'app.database.direct-url');
  return { ...opened, connection: { ...connection, hasPooler: true }, direct };
}

/** The connection to the standby of `app.database.replica-url`, if there is one. */
export function replicaOf({ 'app.database.replica-url': url }: Settings): ConnectionConfig | undefined {
  return url === undefined ? undefined : connectionFrom(url, 'app.database.replica-url').connection;
}

/** The driver reads the certificate files that the URL names; a missing file ends the start. */
function connectionFrom(url: string, setting: string): { connection: ConnectionConfig; hosts: string } {
  try {
    const connection = connectionOf(url);
    return { connection, hosts: describeHosts(connection) };
  } catch (error) {
    throw unusable(setting, error);
  }
}

export type FoundDatabase = Pick<OpenDatabase, 'connection' | 'direct' | 'embedded' | 'stop'>;

/**
 * Opens the PostgreSQL for reading: nothing is created or migrated. Connects to the embedded one if another process
 * runs it, else starts it until `stop` is called. With `anySchema` the schema may be that of another version.
 */
export async function findDatabase(
  settings: Settings,
  log: Log,
  { anySchema = false }: { anySchema?: boolean } = {},
): Promise<FoundDatabase> {
  const url = settings['app.database.url'];
  const found = url === undefined ? await findEmbedded(settings, log) : configuredDatabase(settings);
  const { connection, direct } = found;
  try {
    await requireUsable(connection);
    if (anySchema || (await isMigrated(direct))) return found;
    throw new SettingsError('the database does not have the schema of this version; start Florin once to migrate it.');
  } catch (error) {
    await found.stop();
    throw error instanceof UnknownSchemaError ? new SettingsError(error.message) : error;
  }
}

async function findEmbedded(settings: Settings, log: Log): Promise<FoundDatabase> {
  const dataDir = settings['app.data-dir'];
  requireDataFolder(settings);
  const running = await findRunningFlorin(dataDir);
  if (running === undefined) return startEmbedded(settings, log);
  const connection = { ...running, ssl: false };
  const embedded = { superuser: { ...connection, user: florinNames.superuser }, cluster: clusterIn(dataDir) };
  return { connection, direct: connection, embedded, stop: async () => {} };
}

/** Where the embedded PostgreSQL has its files. */
const clusterIn = (dataDir: string) => resolve(dataDir, 'postgres', 'cluster');

async function startEmbedded(settings: Settings, log: Log, signal?: AbortSignal): Promise<OpenDatabase> {
  const connections = Math.max(leastConnections, connectionsOfNode(settings) + reserveConnections);
  const postgres = await startFlorinPostgres({
    dataDir: settings['app.data-dir'],
    log,
    settings: { max_connections: String(connections) },
    signal,
  }).catch((error: unknown) => {
    throw error instanceof EmbeddedPostgresError ? new SettingsError(`${error.message}.`) : error;
  });
  // PGSSLMODE in the environment must not apply: there is no TLS on a Unix socket.
  const connection = { ...postgres.connection, ssl: false };
  return {
    connection,
    direct: connection,
    embedded: {
      superuser: { ...postgres.superuser, ssl: false },
      cluster: clusterIn(settings['app.data-dir']),
    },
    hosts: describeHosts(connection),
    isOursAlone: true,
    stop: () => postgres.stop(),
  };
}

/** Throws errors that may pass as they are, and all others as a SettingsError, which ends the start. */
async function requireVersion(connection: ConnectionConfig, setting: string): Promise<void> {
  const client = new SessionClient({
    ...connection,
    ...sessionSettings('start', 10_000),
    connectionTimeoutMillis: 10_000,
  });
  // A connection that breaks between two statements fails the next one.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version_num: string }>('show server_version_num');
    const version = Math.floor(Number(rows[0]?.server_version_num) / 10_000);
    if (version < oldestVersion) {
      throw new SettingsError(`${setting} leads to PostgreSQL ${version}; ${oldestVersion} or newer is needed.`);
    }
  } catch (error) {
    if (error instanceof SettingsError || mayPass(error)) throw error;
    throw unusable(setting, error);
  } finally {
    // A broken connection has been reported above.
    await client.end().catch(() => {});
  }
}

/** For commands, which do not wait for an unavailable database. */
async function requireUsable(connection: ConnectionConfig): Promise<void> {
  try {
    await requireVersion(connection, 'app.database.url');
  } catch (error) {
    throw error instanceof SettingsError ? error : unusable('app.database.url', error);
  }
}

/** As at the start of a node, which waits for an unavailable database; this does not. */
async function requireUsableSetUp(opened: OpenDatabase): Promise<void> {
  await requireUsable(opened.direct);
  const check = usableSetUpCheck(opened);
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (error instanceof SettingsError) throw error;
      if (!(error instanceof UnusableSetUp)) throw unusable('app.database.url', error);
      await sleep(retryPauseMs);
    }
  }
}

function unusable(setting: string, error: unknown): SettingsError {
  return new SettingsError(`${setting} cannot be used: ${reasonOf(error)}.`);
}
