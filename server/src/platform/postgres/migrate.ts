import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import { sessionSettings } from './database.ts';

const migrationsDir = fileURLToPath(new URL('../../../migrations', import.meta.url));

/** Brings the schema forward to this version, under a lock, so that two nodes starting at once migrate once. */
export async function migrate(connection: pg.ClientConfig, log: (line: string) => void): Promise<void> {
  const client = new pg.Client({ ...connection, ...sessionSettings('migration', 0), connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await runner({
      dbClient: client,
      dir: migrationsDir,
      direction: 'up',
      migrationsTable: 'schema_migration',
      count: Number.POSITIVE_INFINITY,
      advisoryLockMode: 'wait',
      logger: { debug: () => {}, info: log, warn: log, error: log },
    });
  } finally {
    await client.end();
  }
}
