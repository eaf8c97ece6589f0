import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { removeUnfinished } from './cluster.ts';
import { closeDataFolder, makeRoot, openDataFolder } from './data-folder.ts';
import { lockFolder } from './folder-lock.ts';
import { findOrphan } from './leftovers.ts';
import { attach } from './postmaster.ts';
import { signal } from './process-table.ts';

/**
 * Removes a data folder with its database, and ends the PostgreSQL that a killed process left running on it.
 *
 * @throws EmbeddedPostgresError when a living process uses the folder
 */
export async function discardDataFolder(dataDir: string): Promise<void> {
  if (!existsSync(dataDir)) return;
  const root = makeRoot(dataDir);
  const lock = await lockFolder(root);
  try {
    if (existsSync(join(root, 'postgres'))) {
      const folder = openDataFolder(root);
      removeUnfinished(folder);
      const orphan = findOrphan(folder);
      if (orphan !== undefined) {
        signal(orphan.pid, 'SIGQUIT');
        await attach(folder, orphan).ended;
      }
      closeDataFolder(folder);
    }
    // A worker that was just ended may still create a file.
    rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  } finally {
    lock.release();
  }
}
