import {
  type ConnectionConfig,
  connectionOf,
  describeHosts,
  reasonOf,
  SessionClient,
} from '../platform/postgres/connection.ts';
import { sessionSettings } from '../platform/postgres/database.ts';
import { findRunning, hasCluster } from '../platform/postgres/embedded/running.ts';
import { EmbeddedPostgresError, startEmbeddedPostgres } from '../platform/postgres/embedded/supervisor.ts';
import { isMigrated, migrate, UnknownSchemaError } from '../platform/postgres/migrate.ts';
import type { Log } from '../platform/process/log.ts';
import { type Settings, SettingsError } from './settings.ts';
import { mayPass, type Waiting } from './waiting.ts';

const oldestVersion = 15;

export interface OpenDatabase {
  connection: ConnectionConfig;
  /** For the listener and migrations, which need a session of their own: past a pooler, if there is one. */
  direct: ConnectionConfig;
  /** Where it is, for people. */
  hosts: string;
  /** Embedded: the data folder's lock keeps every other process off it, so that a lease found in it is a dead one's. */
  isOursAlone: boolean;
  stop: () => Promise<void>;
}

/** The PostgreSQL to work on, embedded or given, with the schema of this version. */
export async function openDatabase(settings: Settings, log: Log, waiting: Waiting): Promise<OpenDatabase> {
  const opened =
    settings['app.database.url'] === undefined ? await startEmbedded(settings, log) : givenDatabase(settings);
  const { connection, direct, isOursAlone } = opened;
  const bringForward = () =>
    migrate(direct, (line) => log.debug(line), {
      signal: waiting.signal,
      onWait: ({ migration, waitedMs, blockedBy }) => {
        const reason = `Migration ${migration} waits for a lock${blockedBy.length > 0 ? ` held by ${blockedBy.join('; ')}` : ''}`;
        return waiting.tell(reason, { migration, waitedMs });
      },
    });
  try {
    if (isOursAlone) await bringForward();
    else {
      await waiting.forDatabase(describeHosts(connection), () => requireVersion(connection, 'app.database.url'));
      const hosts = describeHosts(direct);
      if (direct !== connection)
        await waiting.forDatabase(hosts, () => requireVersion(direct, 'app.database.direct-url'));
      await waiting.forDatabase(hosts, bringForward);
    }
    return opened;
  } catch (error) {
    await opened.stop();
    throw error instanceof UnknownSchemaError ? new SettingsError(error.message) : error;
  }
}

function givenDatabase(settings: Settings): OpenDatabase {
  const { 'app.database.url': url = '', 'app.database.direct-url': directUrl } = settings;
  const { connection, hosts } = reachedBy(url, 'app.database.url');
  const direct = directUrl === undefined ? connection : reachedBy(directUrl, 'app.database.direct-url').connection;
  return { connection, direct, hosts, isOursAlone: false, stop: async () => {} };
}

/** The driver reads the certificates that an address names: a file that is not there ends the start. */
function reachedBy(url: string, setting: string): { connection: ConnectionConfig; hosts: string } {
  try {
    const connection = connectionOf(url);
    return { connection, hosts: describeHosts(connection) };
  } catch (error) {
    throw unusable(setting, error);
  }
}

/**
 * The PostgreSQL as it stands, for whoever only looks: nothing is made or migrated. An embedded one is joined where it runs,
 * whoever started it, else started for as long as it is looked at.
 */
export async function findDatabase(settings: Settings, log: Log): Promise<Pick<OpenDatabase, 'connection' | 'stop'>> {
  const url = settings['app.database.url'];
  const found = url === undefined ? await findEmbedded(settings, log) : givenDatabase(settings);
  const { connection, direct = connection } = found as Partial<OpenDatabase> & typeof found;
  try {
    await requireVersion(connection, 'app.database.url').catch((error) => {
      throw error instanceof SettingsError ? error : unusable('app.database.url', error);
    });
    if (await isMigrated(direct)) return found;
    throw new SettingsError(
      'the database does not have the schema of this version; start Florin once, which brings it.',
    );
  } catch (error) {
    await found.stop();
    throw error;
  }
}

async function findEmbedded(settings: Settings, log: Log): Promise<Pick<OpenDatabase, 'connection' | 'stop'>> {
  const dataDir = settings['app.data-dir'];
  if (!hasCluster(dataDir)) throw new SettingsError(`there is no database in ${dataDir}; set app.data-dir.`);
  const running = await findRunning(dataDir);
  if (running === undefined) return startEmbedded(settings, log);
  return { connection: { ...running, ssl: false }, stop: async () => {} };
}

async function startEmbedded(settings: Settings, log: Log): Promise<OpenDatabase> {
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: settings['app.data-dir'], log });
    // A PGSSLMODE of the shell is meant for other servers: a Unix socket speaks no TLS.
    const connection = { ...postgres.connection, ssl: false };
    return {
      connection,
      direct: connection,
      hosts: describeHosts(connection),
      isOursAlone: true,
      stop: () => postgres.stop(),
    };
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw new SettingsError(`${error.message}.`);
    throw error;
  }
}

/** An error that waiting may mend comes out as it is; others end the start with one line. */
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
    await client.end().catch(() => {});
  }
}

function unusable(setting: string, error: unknown): SettingsError {
  return new SettingsError(`${setting} cannot be used: ${reasonOf(error)}.`);
}
