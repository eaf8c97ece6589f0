import { readFile } from 'node:fs/promises';
import { type DiskSpace, diskSpaceAt } from '../../platform/process/disk-space.ts';

/** What a check reads of the machine; a test replaces it. */
export interface Machine {
  /** In ms since the epoch. */
  now: () => number;
  /** Of the file system of a path. */
  freeSpace: (path: string) => Promise<DiskSpace>;
  /** How many files and connections a process may have open; undefined where the system does not tell. */
  openFileLimit: () => Promise<number | undefined>;
}

export const thisMachine: Machine = {
  now: Date.now,
  freeSpace: diskSpaceAt,
  openFileLimit: async () => {
    const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
    const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
    return soft === undefined ? undefined : Number(soft);
  },
};
