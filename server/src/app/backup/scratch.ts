import { discardDataFolder } from '@florin/embedded-postgres';
import type { ConnectionConfig } from '../../platform/postgres/connection/connection-url.ts';
import { startFlorinPostgres } from '../../platform/postgres/embedded/florin-postgres.ts';
import { openLog } from '../../platform/process/log.ts';

/** A PostgreSQL of its own, in a folder that is deleted with it. */
export interface Scratch {
  connection: ConnectionConfig;
  superuser: ConnectionConfig;
  discard: () => Promise<void>;
}

/** @throws EmbeddedPostgresError when PostgreSQL cannot run in the folder */
export async function openScratch(folder: string, settings: Readonly<Record<string, string>> = {}): Promise<Scratch> {
  const postgres = await startFlorinPostgres({
    dataDir: folder,
    log: openLog('error'),
    isDisposable: true,
    settings: { autovacuum: 'off', ...settings },
  });
  return {
    connection: { ...postgres.connection, ssl: false },
    superuser: { ...postgres.superuser, ssl: false },
    discard: async () => {
      await postgres.stop();
      await discardDataFolder(folder);
    },
  };
}
