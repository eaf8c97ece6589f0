import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '../../../src/platform/postgres/migrate.ts';
import type { TestDatabase } from './database.ts';

const migrations = fileURLToPath(new URL('../../../migrations', import.meta.url));

/**
 * Gives an empty database (`databaseFromTemplate('template0')`) the schema of an older release: that after a migration,
 * such as `0032`.
 */
export async function migrateUpTo({ connection }: TestDatabase, migration: string): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'florin-upgrade-'));
  try {
    for (const file of readdirSync(migrations).filter((name) => name.slice(0, 4) <= migration))
      copyFileSync(join(migrations, file), join(dir, file));
    await migrate(connection, () => {}, { dir });
  } finally {
    rmSync(dir, { recursive: true });
  }
}
