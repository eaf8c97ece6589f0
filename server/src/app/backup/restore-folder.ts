import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { discardDataFolder, lockFolder } from '@florin/embedded-postgres';
import { syncFolder, writeFileDurably } from '../../platform/crypto/durable-files.ts';
import type { ConnectionConfig } from '../../platform/postgres/connection/connection-url.ts';
import { type FlorinPostgres, startFlorinPostgres } from '../../platform/postgres/embedded/florin-postgres.ts';
import { openLog } from '../../platform/process/log.ts';
import { CommandFailure } from '../cli/failure.ts';
import { keyFileNames, textIn } from './keys.ts';
import { isOfTheSystem } from './manifest.ts';

/** Where the database is while it is loaded: a start of Florin does not find it there. */
const unfinished = 'restoring';
/** A second database, with which the restored one is compared. */
const comparison = 'end';
/** What a restore to a time lists as later than that. */
export const laterRecordsFile = 'later-records.csv';

/**
 * Requires that a data folder contains nothing, except for what a killed restore of the same backup left behind.
 *
 * @throws CommandFailure that names what is in it
 */
export async function requireUnusedFolder(dataDir: string, backup: string): Promise<void> {
  const entries: string[] = await readdir(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const ownKeys = entries.includes(unfinished) ? keyFileNames : [];
  const found: string[] = [];
  for (const name of entries) {
    if (name === unfinished || name === 'lock' || isOfTheSystem(name)) continue;
    if (name === laterRecordsFile && entries.includes(unfinished)) continue;
    const key = ownKeys.find((file) => file === name);
    const isOurs = key !== undefined && (await textIn(dataDir, key)) === (await textIn(backup, key));
    if (!isOurs) found.push(name);
  }
  if (found.length === 0) return;
  throw new CommandFailure(
    `data folder ${dataDir} is not empty (it has ${found.slice(0, 3).join(', ')}): ` +
      'stop Florin and move the folder away, or choose another one with --data-dir.',
  );
}

export interface RestoreFolder {
  connection: ConnectionConfig;
  superuser: ConnectionConfig;
  /** Where files are that become part of the data folder, and a database to compare with. */
  unfinished: { later: string; comparison: string };
  /** Stops PostgreSQL and moves its database and the keys of the backup to where a start of Florin finds them. */
  complete: () => Promise<void>;
  discard: () => Promise<void>;
}

/**
 * Starts a PostgreSQL inside an empty data folder: a new one, or the one that `begin` puts into the folder that it is
 * given. A kill before `complete` leaves a folder without a database, into which the backup can be restored again.
 */
export async function openRestoreFolder(
  dataDir: string,
  backup: string,
  begin = (folder: string): Promise<FlorinPostgres> => startFlorinPostgres({ dataDir: folder, log: openLog('error') }),
): Promise<RestoreFolder> {
  await mkdir(dataDir, { recursive: true, mode: process.geteuid?.() === 0 ? 0o711 : 0o700 });
  // A start of Florin is refused meanwhile.
  const lock = await lockFolder(dataDir);
  const folder = join(dataDir, unfinished);
  const discardFolder = async () => {
    await discardDataFolder(join(folder, comparison));
    await discardDataFolder(folder);
  };
  try {
    await discardFolder();
    const postgres = await begin(folder);
    return {
      connection: { ...postgres.connection, ssl: false },
      superuser: { ...postgres.superuser, ssl: false },
      unfinished: { later: join(folder, laterRecordsFile), comparison: join(folder, comparison) },
      complete: async () => {
        await postgres.stop();
        await placeKeys(folder, dataDir, backup);
        await rename(join(folder, laterRecordsFile), join(dataDir, laterRecordsFile)).catch(unlessMissing);
        // Last: a start beside a database without its keys is refused, and one without a database begins a new one.
        await rename(join(folder, 'postgres'), join(dataDir, 'postgres'));
        await syncFolder(dataDir);
        await discardFolder();
        lock.release();
      },
      discard: async () => {
        await postgres.stop();
        await discardFolder();
        lock.release();
      },
    };
  } catch (error) {
    await discardFolder();
    lock.release();
    throw error;
  }
}

async function placeKeys(folder: string, dataDir: string, backup: string): Promise<void> {
  for (const name of keyFileNames) {
    const text = await textIn(backup, name);
    if (text === undefined) continue;
    await writeFileDurably(join(folder, name), `${text}\n`);
    await rename(join(folder, name), join(dataDir, name));
  }
  await syncFolder(dataDir);
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
