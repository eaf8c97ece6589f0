import pg from 'pg';
import { EmbeddedPostgresError, startEmbeddedPostgres } from '../platform/postgres/embedded/supervisor.ts';
import { migrate } from '../platform/postgres/migrate.ts';
import type { Log } from '../platform/process/log.ts';
import { type Settings, SettingsError } from './settings.ts';

const oldestVersion = 15;

export interface OpenDatabase {
  connection: pg.ClientConfig;
  stop: () => Promise<void>;
}

/** The PostgreSQL to work on, embedded or given, with the schema of this version. */
export async function openDatabase(settings: Settings, log: Log): Promise<OpenDatabase> {
  const url = settings['app.database.url'];
  const opened =
    url === undefined
      ? await startEmbedded(settings, log)
      : { connection: { connectionString: url }, stop: async () => {} };
  try {
    if (url !== undefined) await demandVersion(opened.connection);
    await migrate(opened.connection, (line) => log.debug(line));
    return opened;
  } catch (error) {
    await opened.stop();
    throw error;
  }
}

async function startEmbedded(settings: Settings, log: Log): Promise<OpenDatabase> {
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: settings['app.data-dir'], log });
    // A PGSSLMODE of the shell is meant for other servers: a Unix socket speaks no TLS.
    return { connection: { ...postgres.connection, ssl: false }, stop: () => postgres.stop() };
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
