import pg from 'pg';
import { findRunning, hasCluster } from '../platform/postgres/embedded/running.ts';
import { EmbeddedPostgresError, startEmbeddedPostgres } from '../platform/postgres/embedded/supervisor.ts';
import { isMigrated, migrate } from '../platform/postgres/migrate.ts';
import type { Log } from '../platform/process/log.ts';
import { type Settings, SettingsError } from './settings.ts';

const oldestVersion = 15;

export interface OpenDatabase {
  connection: pg.ClientConfig;
  /** Embedded: the data folder's lock keeps every other process off it, so that a lease found in it is a dead one's. */
  isOursAlone: boolean;
  stop: () => Promise<void>;
}

/** The PostgreSQL to work on, embedded or given, with the schema of this version. */
export async function openDatabase(settings: Settings, log: Log): Promise<OpenDatabase> {
  const url = settings['app.database.url'];
  const opened =
    url === undefined
      ? await startEmbedded(settings, log)
      : { connection: { connectionString: url }, isOursAlone: false, stop: async () => {} };
  try {
    if (url !== undefined) await demandVersion(opened.connection);
    await migrate(opened.connection, (line) => log.debug(line));
    return opened;
  } catch (error) {
    await opened.stop();
    throw error;
  }
}

/**
 * The PostgreSQL as it stands, for whoever only looks: nothing is made or migrated. An embedded one is joined where it runs,
 * whoever started it, else started for as long as it is looked at.
 */
export async function findDatabase(settings: Settings, log: Log): Promise<Pick<OpenDatabase, 'connection' | 'stop'>> {
  const url = settings['app.database.url'];
  const found =
    url === undefined
      ? await findEmbedded(settings, log)
      : { connection: { connectionString: url }, stop: async () => {} };
  try {
    await demandVersion(found.connection);
    if (await isMigrated(found.connection)) return found;
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
    return { connection, isOursAlone: true, stop: () => postgres.stop() };
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw new SettingsError(`${error.message}.`);
    throw error;
  }
}

async function demandVersion(connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version_num: string }>('show server_version_num');
    const version = Math.floor(Number(rows[0]?.server_version_num) / 10_000);
    if (version < oldestVersion) {
      throw new SettingsError(`app.database.url leads to PostgreSQL ${version}; ${oldestVersion} or newer is needed.`);
    }
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    throw new SettingsError(
      `app.database.url cannot be used: ${(error as Error).message || (error as { code?: string }).code}.`,
    );
  } finally {
    await client.end().catch(() => {});
  }
}
