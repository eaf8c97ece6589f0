import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

const shared = '/dev/shm';
const prefix = 'florin-tests-';
/** A run needs about 1 GB; the rest is left to the machine. */
const neededBytes = 4 * 2 ** 30;

/**
 * A folder in memory for the temporary files of this test run; undefined where there is none that is large enough, or
 * where programs cannot be run from it. Creating and dropping the database of a test file took 430 ms of CPU time on a
 * disk, nearly all of it for its thousand files, and 10 ms in memory.
 */
export function makeMemoryFolder(): string | undefined {
  if (!isSuitable()) return undefined;
  for (const name of readdirSync(shared)) {
    if (name.startsWith(prefix) && !existsSync(`/proc/${name.slice(prefix.length)}`))
      removeMemoryFolder(join(shared, name));
  }
  const folder = join(shared, `${prefix}${process.pid}`);
  mkdirSync(folder, { recursive: true });
  // As /tmp: tests as root start PostgreSQL as another user.
  chmodSync(folder, 0o1777);
  return folder;
}

export function removeMemoryFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
}

function isSuitable(): boolean {
  if (process.platform !== 'linux' || !existsSync(shared)) return false;
  const [, options = ''] = /^\S+ \/dev\/shm tmpfs (\S+)/m.exec(readFileSync('/proc/mounts', 'utf8')) ?? [];
  if (options === '' || /\bnoexec\b|\bro\b/.test(options)) return false;
  const { bavail, bsize } = statfsSync(shared);
  return Math.min(bavail * bsize, freemem()) >= neededBytes;
}
