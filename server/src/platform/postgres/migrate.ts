import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { sessionSettings } from './database.ts';

const migrationsDir = fileURLToPath(new URL('../../../migrations', import.meta.url));
const migrationsTable = 'schema_migration';

/** Brings the schema forward to this version, under a lock, so that two nodes starting at once migrate once. */
export async function migrate(connection: pg.ClientConfig, log: (line: string) => void): Promise<void> {
  const client = new pg.Client({ ...connection, ...sessionSettings('migration', 0), connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    if (await isCurrent(client)) return;
    // Loaded only when there is something to do: it costs a start 60 ms and 5 MB.
    const { runner } = await import('node-pg-migrate');
    await runner({
      dbClient: client,
      dir: migrationsDir,
      direction: 'up',
      migrationsTable,
      count: Number.POSITIVE_INFINITY,
      advisoryLockMode: 'wait',
      logger: { debug: () => {}, info: log, warn: log, error: log },
    });
  } finally {
    await client.end();
  }
}

/** Whether the schema is of this version, or newer. */
export async function isMigrated(connection: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client({ ...connection, ...sessionSettings('look', 10_000), connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    return await isCurrent(client);
  } finally {
    await client.end();
  }
}

async function isCurrent(client: pg.Client): Promise<boolean> {
  const { rows: tables } = await client.query('select to_regclass($1) is not null as made', [migrationsTable]);
  if (!tables[0].made) return false;
  const { rows } = await client.query<{ name: string }>(`select name from ${migrationsTable}`);
  const done = new Set(rows.map((row) => `${row.name}.sql`));
  return (await readdir(migrationsDir)).every((file) => done.has(file));
}
