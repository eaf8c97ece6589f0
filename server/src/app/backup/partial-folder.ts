import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { discardDataFolder, holderOfFolder, lockFolder } from '@florin/embedded-postgres';
import { syncFolder } from '../../platform/crypto/durable-files.ts';
import { CommandFailure } from '../cli/failure.ts';
import { readManifest } from './manifest.ts';

const suffix = '.partial';
const prefix = 'florin-';

/** A folder whose name ends in `.partial` until it is complete. */
export interface PartialFolder {
  path: string;
  /** Where a PostgreSQL may run meanwhile. */
  scratch: string;
  /** Gives it its final name, once its content is on disk, and returns its path. */
  complete: (ending: string) => Promise<string>;
  discard: () => Promise<void>;
}

/** Creates `<name>.partial` in a folder, after it has removed those that killed processes left behind. */
export async function makePartialFolder(dir: string, name: string): Promise<PartialFolder> {
  // Not recursive: Node.js never returns from that below a folder such as /proc, and a misspelt path would be created.
  await mkdir(dir, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await removePartialFolders(dir);
  const path = join(dir, `${prefix}${name}${suffix}`);
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new CommandFailure(`${path} exists: another process began at the same moment. Try again.`);
  }
  const lock = await lockFolder(path);
  const scratch = join(path, 'scratch');
  return {
    path,
    scratch,
    complete: async (ending) => {
      lock.release();
      await rm(join(path, 'lock'), { recursive: true });
      await syncFolder(path);
      const final = `${path.slice(0, -suffix.length)}${ending}`;
      await rename(path, final);
      await syncFolder(dir);
      return final;
    },
    discard: async () => {
      await discardDataFolder(scratch);
      await rm(path, { recursive: true, force: true });
    },
  };
}

/**
 * Removes proven backups in a folder but for the newest `keep`, at least one, and returns their paths. What is not a
 * whole, proven backup is left alone.
 */
export async function removeProven(dir: string, keep: number): Promise<string[]> {
  const names = (await readdir(dir)).filter((name) => backupName.test(name)).sort();
  const proven: string[] = [];
  for (const name of names) {
    const manifest = await readManifest(join(dir, name)).catch(() => undefined);
    if (manifest?.broken.length === 0) proven.push(join(dir, name));
  }
  const removed = proven.slice(0, Math.max(0, proven.length - Math.max(1, keep)));
  for (const path of removed) {
    // A kill in between must not leave a part that looks like a backup: the next backup removes it.
    await rename(path, path + suffix);
    await rm(path + suffix, { recursive: true });
  }
  return removed;
}

/** `florin-2026-01-31T09-30-05Z`. */
const backupName = /^florin-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z$/;

async function removePartialFolders(dir: string): Promise<void> {
  for (const name of await readdir(dir)) {
    const path = join(dir, name);
    if (!name.startsWith(prefix) || !name.endsWith(suffix) || holderOfFolder(path) !== undefined) continue;
    await discardDataFolder(join(path, 'scratch'));
    await rm(path, { recursive: true, force: true });
  }
}
